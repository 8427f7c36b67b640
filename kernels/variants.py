"""Reads kernels/variants: every shape in which devq's own kernels are built."""

import itertools
import re
from pathlib import Path
from typing import NamedTuple

CLASSES = ("cpu-v2", "cpu-v3", "cpu-v4", "opencl-cpu", "gpu")
MOST_PER_FILE_AND_LEVEL = 12  # compiled ahead: each costs build time and size


class Row(NamedTuple):
    kernel_file: str
    device_class: str
    constants: str  # "T=f16 VW=16", in the file's order, single spaces
    line: int


class VariantsError(Exception):
    pass


def expand(text):
    """"A={1,2} B=3" -> ["A=1 B=3", "A=2 B=3"]: the rightmost list varies fastest."""
    parts = re.split(r"\{([^{}]*)\}", text)
    choices = [[part] if i % 2 == 0 else [value.strip() for value in part.split(",")] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def check_constants(constants):
    names = []
    for constant in constants.split():
        match = re.fullmatch(r"([A-Za-z_]\w*)=([A-Za-z0-9_.+-]+)", constant)
        if not match:
            return f'"{constant}" is not NAME=VALUE'
        if match[1] in names:
            return f"{match[1]} is given twice"
        names.append(match[1])
    return None


def parse(path):
    """All rows in the file's order. Raises VariantsError with the file, the line and what is wrong there."""
    path = Path(path)
    rows, seen = [], {}
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = raw.split("#", 1)[0].strip()
        if not text:
            continue

        def fail(problem):
            raise VariantsError(f"{path}:{number}: {problem}\n    {raw.strip()}\n"
                                "expected: KERNEL_FILE CLASS{,CLASS} [NAME=VALUE ...], with {A,B} for several values")

        fields = text.split(None, 2)
        if len(fields) < 2:
            fail("a row needs a kernel file and a device class")
        kernel_file, classes, constants = (fields + [""])[:3]
        if not re.fullmatch(r"[a-z][a-z0-9_]*", kernel_file):
            fail(f'"{kernel_file}" is no name of a kernel file')
        if not (path.parent / f"{kernel_file}.cl").is_file():
            fail(f"there is no {kernel_file}.cl beside this file")
        if re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", constants)):
            fail("braces do not match")
        constants = re.sub(r"\s*,\s*(?=[^{}]*\})", ",", constants)
        for device_class in classes.split(","):
            if device_class not in CLASSES:
                fail(f'"{device_class}" is no device class: they are {", ".join(CLASSES)}')
            for expanded in expand(constants):
                expanded = " ".join(expanded.split())
                problem = check_constants(expanded)
                if problem:
                    fail(problem)
                key = (kernel_file, device_class, expanded)
                if key in seen:
                    fail(f'"{expanded}" for {device_class} is in line {seen[key]} already')
                seen[key] = number
                rows.append(Row(kernel_file, device_class, expanded, number))
    for (kernel_file, device_class), group in itertools.groupby(
            sorted(rows, key=lambda row: row[:2]), key=lambda row: row[:2]):
        count = len(list(group))
        if device_class.startswith("cpu-") and count > MOST_PER_FILE_AND_LEVEL:
            raise VariantsError(f"{path}: {kernel_file} has {count} variants for {device_class}; "
                                f"at most {MOST_PER_FILE_AND_LEVEL} are compiled ahead")
    return rows


def symbol_of(row):
    """A C name of its own for a row that is compiled ahead."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", f"{row.kernel_file}_{row.device_class[4:]}_{row.constants}")
    return words.strip("_")
