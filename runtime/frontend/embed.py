"""Writes the C++ preludes as string constants: embed.py OUT.cpp DEPFILE SOURCE_ROOT"""

import sys
from pathlib import Path

CHUNK = 12000  # compilers need not take longer literals
COMMON = ["common_math", "common_functions"]
PRELUDES = {
    "host_prelude": ["host_base", "common_types", "common_constants", "host_vector", "common_vector", "host_half",
                     "host_math", *COMMON, "host_atomic", "host_item"],
    "cuda_prelude": ["cuda_base", "common_types", "common_constants", "cuda_vector", "common_vector", "cuda_half",
                     "cuda_math", *COMMON, "cuda_item"],
}


def literal(text):
    assert ')devq"' not in text
    return "\n".join(f'    R"devq({text[i:i + CHUNK]})devq"' for i in range(0, len(text), CHUNK))


def main(out, depfile, root):
    root = Path(root)
    used = []
    # clang minds what the literals are together.
    parts = ['#pragma GCC diagnostic ignored "-Woverlength-strings"\n#include "frontend/prelude.hpp"\n\nnamespace devq::frontend {\n']
    for constant, names in PRELUDES.items():
        files = [root / "kernels" / "prelude" / f"{name}.hpp" for name in names]
        if constant == "host_prelude":
            files.insert(0, root / "runtime" / "frontend" / "host_abi.h")
        used += files
        text = "".join(f'#line 1 "devq/{file.name}"\n' + file.read_text(encoding="utf-8").replace("#pragma once\n", "\n")
                       for file in files)
        parts.append(f"const std::string_view {constant} =\n{literal(text)};\n")
    parts.append("} // namespace devq::frontend\n")
    Path(out).write_text("\n".join(parts), encoding="utf-8")
    Path(depfile).write_text(f"{out}: {' '.join(str(file) for file in used)}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
