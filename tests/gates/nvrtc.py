#!/usr/bin/env python3
"""NVRTC for the tests: `nvrtc.py --found` is true where the machine has one that devq finds; `nvrtc.py BUILD` gets the
pinned wheel of nvrtc.txt into BUILD/nvrtc where it is not there yet, and prints the library's path."""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

PINNED = pathlib.Path(__file__).resolve().with_name("nvrtc.txt")
SONAMES = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]


def found():
    """Where devq looks: DEVQ_NVRTC, the loader's path, toolkits."""
    if os.environ.get("DEVQ_NVRTC"):
        return True
    roots = [os.environ.get("CUDA_PATH", ""), os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    folders = [pathlib.Path(root) / lib for root in roots if root.startswith("/") for lib in ("lib64", "lib")]
    for name in SONAMES + [str(folder / soname) for folder in folders for soname in SONAMES]:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


def wheel(build):
    """The pinned NVRTC's path, installed if need be; raises RuntimeError with pip's words."""
    target = pathlib.Path(build) / "nvrtc"
    stamp = target / "pinned.txt"
    text = PINNED.read_text()
    if not stamp.exists() or stamp.read_text() != text:
        shutil.rmtree(target, ignore_errors=True)
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
             "--require-hashes", "--no-deps", "--only-binary=:all:", "--target", str(target),
             "--requirement", str(PINNED)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            shutil.rmtree(target, ignore_errors=True)
            raise RuntimeError((done.stderr.strip().splitlines() or ["pip failed"])[-1])
        stamp.write_text(text)
    libraries = sorted(path for path in target.rglob("libnvrtc.so.*") if path.name in SONAMES)
    if not libraries:
        raise RuntimeError(f"the wheel in {target} holds no libnvrtc.so")
    return libraries[0].resolve()


def main(arguments):
    if arguments == ["--found"]:
        return 0 if found() else 1
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(wheel(arguments[0]))
    except (RuntimeError, OSError) as error:
        print(f"NVRTC could not be installed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
