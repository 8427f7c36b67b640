"""Makes of causes/ the table of the program, and with `--docs` the pages of docs/doctor/:

causes.py SOURCE_FOLDER IDS.hpp TABLES.cpp
causes.py --docs SOURCE_FOLDER DOCS_FOLDER
"""

import re
import sys
from pathlib import Path

LAYERS = ["pci", "kernel", "nodes", "container", "libraries", "icd", "versions", "environment", "cpu", "trial", "python"]
SEVERITIES = {"prevents": "prevents use", "limits": "limits", "risks": "will mislead", "tells": "nothing to mend"}
AREAS = {"cuda", "opencl", "cpu", "python"}
TEXTS = ["what", "why", "mend"]
COMMANDS = {"apt": "Debian", "ubuntu": "Ubuntu", "dnf": "Fedora, RHEL", "pacman": "Arch", "zypper": "openSUSE", "any": ""}
KEYS = ["layer", "severity", "areas", *TEXTS, *COMMANDS, "meanwhile"]
CHUNK = 12000  # compilers need not take longer literals


def fail(message):
    sys.exit(f"causes: {message}")


def read(path):
    """[(section title or None, {key: text})] of a file, in order."""
    causes, section = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            section = line[3:]
        elif re.fullmatch(r"\[[a-z0-9_]+\]", line):
            causes.append((section, {"id": line[1:-1]}))
            section = None
        elif line and not line.startswith("#"):
            key, colon, text = line.partition(": ")
            if not colon or key not in KEYS or not causes:
                fail(f"{path.name}:{number}: \"{line}\" is no `key: value`")
            row = causes[-1][1]
            row[key] = row[key] + "\n" + text if key in row else text
    for _, row in causes:
        lacking = [key for key in ("layer", "severity", "areas", *TEXTS, "meanwhile") if key not in row]
        if lacking:
            fail(f"{row['id']} lacks {', '.join(lacking)}")
        if row["layer"] not in LAYERS or row["severity"] not in SEVERITIES or not set(row["areas"].split()) <= AREAS:
            fail(f"{row['id']}: unknown layer, severity or area")
        if row["what"].endswith("."):
            fail(f"{row['id']}: what ends in a full stop")
    return causes


def read_all(folder):
    """{file's name without number and suffix: causes}, in the order of the files."""
    parts = {path.stem[2:]: read(path) for path in sorted((folder / "causes").glob("[0-9]-*.txt"))}
    ids = [row["id"] for causes in parts.values() for _, row in causes]
    if len(set(ids)) != len(ids):
        fail("an id occurs twice")
    return parts


def literal(text):
    assert ')devq"' not in text
    return "\n".join(f'    R"devq({text[i:i + CHUNK]})devq"' for i in range(0, len(text), CHUNK)) or '    ""'


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def program(causes, texts):
    rows = []
    for _, row in causes:
        cells = [quoted(row["id"]), quoted(row["layer"]), "Severity::" + row["severity"], quoted(row["areas"])]
        cells += [quoted(row.get(key, "")) for key in (*TEXTS, *COMMANDS, "meanwhile")]
        rows.append("    {" + ",\n     ".join(cells) + "},\n")
    parts = ['#pragma GCC diagnostic ignored "-Woverlength-strings"\n#include "tools/doctor/tables.hpp"\n\n'
             "namespace devq::doctor {\n\nconst Cause causes[cause_count] = {\n", *rows, "};\n"]
    parts += [f"const std::string_view {name} =\n{literal(text)};\n" for name, text in texts.items()]
    return "".join(parts) + "\n} // namespace devq::doctor\n"


def shown(text):
    """Places in braces as Markdown shows them."""
    return re.sub(r"\{([a-z_]+)\}", lambda place: "⟨" + place[1].replace("_", " ") + "⟩", text)


def page(causes):
    lines = ["<!-- Made of tools/doctor/causes by tools/doctor/causes.py --docs: edit those, and run it. -->"]
    for number, (section, row) in enumerate(causes):
        if section:
            lines += ["", f"{'##' if number else '#'} {section}"]
        lines += ["", f"### `{row['id']}`", "", f"**{shown(row['what'])}** ({SEVERITIES[row['severity']]}).", shown(row["why"])]
        lines += ["", "Remedy: " + shown(row["mend"])]
        commands = [(label, command) for key, label in COMMANDS.items() for command in row.get(key, "").split("\n") if command]
        if commands:
            lines += ["", "```", *(shown(command) + (f"   [{label}]" if label else "") for label, command in commands), "```"]
        lines += ["", "Meanwhile: " + shown(row["meanwhile"])]
    return "\n".join(lines) + "\n"


def make_docs(folder, docs):
    docs.mkdir(parents=True, exist_ok=True)
    for name, causes in read_all(folder).items():
        (docs / f"{name}.md").write_text(page(causes), encoding="utf-8")


def make_program(folder, ids, tables):
    causes = [cause for part in read_all(folder).values() for cause in part]
    names = ",\n    ".join(row["id"] for _, row in causes)
    Path(ids).write_text(f"#pragma once\n#include <cstddef>\n\nnamespace devq::doctor {{\n\nenum class CauseId {{\n    {names},\n}};\n"
                         f"inline constexpr std::size_t cause_count = {len(causes)};\n\n}} // namespace devq::doctor\n",
                         encoding="utf-8")
    texts = {"versions_text": (folder / "versions.txt").read_text(encoding="utf-8"),
             "examine_text": (folder / "examine.py").read_text(encoding="utf-8")}
    Path(tables).write_text(program(causes, texts), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--docs":
        make_docs(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        make_program(Path(sys.argv[1]), *sys.argv[2:])
