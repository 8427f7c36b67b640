#!/usr/bin/env python3
"""Plants known faults, one by one, in a copy of the tree and checks that the tests catch each: `./dev mutate [NAME...]`.

The copy and its build lie in build-mutate/. It is built once as it is, and must pass; then each fault of faults.py is put
in, built and tested until a device sees it. A fault that no longer fits its file is refused: mend its line in faults.py.
Exit status: 0 each was caught, 1 one was not (or the tree fails without any), 2 wrong usage or a fault that does not fit.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORK = ROOT / "build-mutate"
TREE = WORK / "tree"
BUILD = WORK / "build"


def stop(text, status=2):
    print(f"mutate: {text}", file=sys.stderr)
    sys.exit(status)


def source_files():
    """What belongs to the tree: what git knows of, else everything that is not a build folder."""
    if shutil.which("git"):
        done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True)
        if done.returncode == 0 and done.stdout:
            return [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    top = [path for path in ROOT.iterdir() if not path.name.startswith(("build", "."))]
    files = [path for path in top if path.is_file()]
    for folder in (path for path in top if path.is_dir()):
        files += [path for path in folder.rglob("*") if path.is_file()]
    return [str(path.relative_to(ROOT)) for path in files]


def copy_tree():
    """Only what changed, so that a second run builds little."""
    names = source_files()
    for name in names:
        target = TREE / name
        content = (ROOT / name).read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(ROOT / name, target)
    known = {TREE / name for name in names}
    for path in list(TREE.rglob("*")):
        if path.is_file() and path not in known and "__pycache__" not in path.parts:
            path.unlink()


def planted(fault, root):
    """The file's text with the fault in it, or None when the fault does not fit."""
    path = root / fault.file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return text.replace(fault.find, fault.replace) if text.count(fault.find) == fault.count else None


def meson():
    return "/usr/bin/meson" if os.access("/usr/bin/meson", os.X_OK) else "meson"


def best_level():
    """One CPU level is enough, and the best is the one that devices here use."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return "v4" if "avx512vl" in flags else "v3" if "avx2" in flags else "v2"


def build(*wanted):
    """Builds those of the targets that there are; None, or what went wrong."""
    log = WORK / "build.log"
    with open(log, "wb") as output:
        if not (BUILD / "build.ninja").exists():
            command = [meson(), "setup", str(BUILD), str(TREE), "-Dexamples=false", f"-Dcpu_isa={best_level()}"]
            if subprocess.run(command, stdout=output, stderr=output).returncode != 0:
                return f"cannot be configured: {log}"
        listed = subprocess.run(["ninja", "-C", str(BUILD), "-t", "targets", "all"], capture_output=True, text=True).stdout
        targets = [line.split(":")[0] for line in listed.splitlines()]
        wanted = [target for target in targets if target in wanted]
        done = subprocess.run(["ninja", "-C", str(BUILD), *wanted], stdout=output, stderr=output).returncode
    return None if done == 0 else f"does not build: {log}"


def run(command, timeout=600):
    """(exit status, output); status 124 when it took too long."""
    environment = {**os.environ, "POCL_CACHE_DIR": str(WORK / "pocl-cache"), "DEVQ_CACHE_DIR": str(WORK / "devq-cache")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env=environment, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return 124, output


def devices():
    status, output = run([str(BUILD / "devq"), "list", "--json"])
    try:
        return [device["id"] for device in json.loads(output[output.index("{"):])["devices"]]
    except (ValueError, KeyError):
        stop(f"`devq list --json` failed ({status}):\n{output}", 1)


class Test:
    """Something that may see a fault, and the targets that it needs."""

    def __init__(self, name, command, *targets):
        self.name, self.command, self.targets, self.proven = name, command, targets, False

    def prove(self):
        """Once, on the tree as it is: a test that fails anyhow would see every fault."""
        if self.proven:
            return
        problem = build(*self.targets)
        if problem:
            stop(f"the tree as it is {problem}", 1)
        status, output = run(self.command)
        print(f"{self.name}, no fault: {'passes' if status == 0 else 'FAILS'}", flush=True)
        if status != 0:
            stop(f"with no fault planted this must pass:\n{output[-4000:]}", 1)
        self.proven = True


def make_tests(found):
    """By `seen_by`, the cheap ones first: an OpenCL driver builds a kernel when it is used, the cpu backend compiles
    every variant ahead."""
    tool = ["devq", "devq-probe", "libdevq-opencl.so"]
    devices = sorted(found, key=lambda device: not device.startswith("opencl"))
    if "cpu:0" not in devices:
        devices.append("cpu:0")
    suite = [Test(device, [str(BUILD / "devq"), "test", "--device", device, "--quick"],
                  *tool, *([] if device.startswith("opencl") else ["libdevq-cpu.so"])) for device in devices]
    return {"suite": suite, "oclgrind": [Test("oclgrind", [str(BUILD / "conformance_oclgrind")], *tool,
                                              "conformance_oclgrind")]}


def first_complaint(output):
    lines = [line.strip() for line in output.splitlines()]
    for mark in ("FAILED", "race", "ERROR", "Invalid"):
        for line in lines:
            if mark in line:
                return line[:100]
    return lines[-1][:100] if lines else "no output"


def check(fault, test):
    """How the test saw the planted fault: (True, by what), or (False, why not)."""
    problem = build(*test.targets)
    if problem:
        return False, problem
    status, output = run(test.command)
    if status == 0:
        return False, f"{test.name}: nothing failed"
    if status == 1:
        return True, f"{test.name}: {first_complaint(output)}"
    if status < 0 or status in (4, 124) or status > 128:
        return True, f"{test.name}: ended with {status}; {first_complaint(output)}"
    return False, f"{test.name} could not run (exit status {status}): {first_complaint(output)}"


def plant(fault, tests):
    target = TREE / fault.file
    original, text = target.read_bytes(), planted(fault, TREE)
    for test in tests:
        test.prove()
        try:
            target.write_text(text, encoding="utf-8")
            caught, how = check(fault, test)
        finally:
            target.write_bytes(original)
        if caught:
            break
    return caught, how


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Plants faults and checks that the tests see each.")
    parser.add_argument("--list", action="store_true", help="name the faults and stop")
    parser.add_argument("--check", action="store_true", help="only see that every fault still fits its file")
    parser.add_argument("faults", nargs="*", metavar="NAME", help="only faults whose names contain one of these")
    options = parser.parse_args()
    chosen = [f for f in FAULTS if not options.faults or any(part in f.name for part in options.faults)]
    if options.list or not chosen:
        for fault in FAULTS:
            print(f"{fault.name}  ({fault.file})")
        return 0 if options.list else 2
    misfits = [fault for fault in chosen if planted(fault, ROOT) is None]
    for fault in misfits:
        print(f"mutate: \"{fault.name}\" no longer fits {fault.file}: mend it in tests/mutate/faults.py", file=sys.stderr)
    if misfits or options.check:
        return 2 if misfits else 0

    WORK.mkdir(exist_ok=True)
    copy_tree()
    problem = build("devq", "devq-probe", "libdevq-opencl.so")
    if problem:
        stop(f"the tree as it is {problem}", 1)
    tests = make_tests(devices())

    missed = []
    for fault in chosen:
        start = time.monotonic()
        caught, how = plant(fault, tests[fault.seen_by])
        print(f"{'caught' if caught else 'MISSED':7} {time.monotonic() - start:5.0f} s  {fault.name}\n"
              f"                 {how}", flush=True)
        if not caught:
            missed.append(fault)
    print(f"{len(chosen) - len(missed)} faults caught, {len(missed)} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
