"""The steps of `./dev test`: what is built, and what is run of it. tests/run runs them.

Three builds: the compiler's own (BUILD), and two by clang, the second compiler, with sanitizers: BUILD/asan of everything,
for addresses, leaks and undefined behaviour, and BUILD/clang of what runs once more under ThreadSanitizer. Neither is
optimised, to be built soon; devq's own kernels are never instrumented.
"""
import dataclasses
import fnmatch
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Test programs that run once more under ThreadSanitizer: those of queues, events, pools and of threads in general.
TSAN = ["*queue*", "*thread*", "*pool*", "unit-cache", "unit-cpu*", "unit-each-device", "unit-opencl", "unit-sharing"]
# Of these only some cases under AddressSanitizer: the others run compiled kernels, which no sanitizer instruments, and
# would take four minutes for it.
ASAN_CASES = {"unit-corpus": ["*front end*", "*wrong*"]}
EXACT_MEMORY = {"DEVQ_MEMORY_CACHE": "0"}  # each buffer a block of its own, so that what strays out of it is found


@dataclasses.dataclass
class Step:
    name: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    timeout: int = 600
    counts: bool = True  # False: a build step, which passes or fails as one
    part: bool = False  # the command leaves cases out on purpose: they are no skips
    shell: bool = False


def test_programs(build):
    """(name, path, folder under tests/) of each test program that the build declares: those with a source in tests/, less
    the tool, which holds the conformance cases too, the benchmarks, and the programs behind steps of other names."""
    for target in introspect(build):
        sources = [pathlib.Path(os.path.normpath(s))
                   for group in target["target_sources"] for s in group.get("sources", [])]
        parts = [s.relative_to(ROOT).parts for s in sources if s.is_relative_to(ROOT)]
        folders = [p[1] for p in parts if p[0] == "tests"]
        ours = folders and not {"bench", "fuzz", "gates"} & set(folders) and target["name"] != "devq"
        if target["type"] == "executable" and ours:
            folder = "conformance" if "conformance" in folders else folders[0]
            yield target["name"], pathlib.Path(target["filename"][0]), folder


def meson():
    return "/usr/bin/meson" if os.access("/usr/bin/meson", os.X_OK) else "meson"


def isa_levels():
    """The x86-64 levels that this machine has, as DEVQ_CPU_ISA names them."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = set(next((line for line in text.splitlines() if line.startswith("flags")), "").split())
    needs = {
        "v2": {"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"},
        "v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"},
        "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    }
    levels = []
    for level, wanted in needs.items():
        if not wanted <= flags:
            break
        levels.append(level)
    return levels


def devices(build):
    """What `devq list` shows; nothing before the first build."""
    try:
        done = subprocess.run([build / "devq", "list", "--json"], capture_output=True, timeout=60)
        return [device["id"] for device in json.loads(done.stdout)["devices"]]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        return []


def introspect(build):
    done = subprocess.run([meson(), "introspect", "--targets", str(build)], check=True, capture_output=True)
    return json.loads(done.stdout)


def runs_under_tsan(name):
    return any(fnmatch.fnmatch(name, pattern) for pattern in TSAN)


def clang_build(name, folder, options, targets=()):
    """A step that builds in FOLDER by the second compiler, whose warnings are errors too."""
    setup = [] if (folder / "build.ninja").exists() else [
        meson(), "setup", shlex.quote(str(folder)), "-Dwerror=true", "-Doptimization=0", "-Ddebug=false",
        "-Dcpp_args=-gline-tables-only", "-Dcpu_isa=v2", *options, "&&",
    ]
    return Step(name, [*setup, "ninja", "-k", "0", "-C", shlex.quote(str(folder)), *targets], {"CXX": "clang++-14"},
                counts=False, timeout=3600, shell=True)


def tsan_targets(build):
    """What has the same path in every build folder: the programs, and the libraries that they may load."""
    for target in introspect(build):
        if not target["build_by_default"]:  # the portable tree's
            continue
        loaded = target["type"].startswith("shared") or target["name"] in ("devq-probe", "devq-guard")
        if loaded or (target["type"] == "executable" and runs_under_tsan(target["name"])):
            yield shlex.quote(str(pathlib.Path(target["filename"][0]).relative_to(build)))


def build_steps(build):
    yield Step("lint", [sys.executable, "tests/lint/lint"])
    yield Step("build", ["ninja", "-C", str(build)], counts=False, timeout=3600)
    yield clang_build("build-clang-asan", build / "asan", ["-Db_sanitize=address,undefined", "-Dfuzz=true"])
    targets = tsan_targets(build) if (build / "build.ninja").exists() else []
    yield clang_build("build-clang-tsan", build / "clang", ["-Db_sanitize=thread"], targets)


def test_steps(build):
    tests = list(test_programs(build))
    yield Step("headers", [sys.executable, "tests/headers/run"])
    yield Step("readme", [sys.executable, "tests/readme/run", str(build)])
    yield Step("install", [sys.executable, "tests/install/run", str(build)])
    yield Step("portable", [sys.executable, "-B", "tests/portable/run", str(build)])
    yield Step("wraps", [sys.executable, "tests/wraps/run", str(build / "wraps")], timeout=600)
    yield Step("gates", [sys.executable, "-B", "tests/gates/run", str(build)], timeout=1800)
    for name, path, folder in tests:
        if folder != "conformance":
            yield Step(name, [str(path)], timeout=1800 if folder == "corpus" else 600)
    for name, path, folder in tests:
        if folder == "conformance":
            yield Step(name, [str(path)])
    found = devices(build)
    for device in found:
        command = [str(build / "devq"), "test", "--device", device]
        poison = {"DEVQ_MEMORY_POISON": "1"}  # nobody may rely on zeros
        if device == "cpu:0":
            for level in isa_levels():
                yield Step(f"devq-test-{device}-{level}", command, {"DEVQ_CPU_ISA": level, **poison})
        else:
            yield Step(f"devq-test-{device}", command, poison)
    if (build / "tests" / "virtual_cuda" / "libcuda.so.1").exists():
        for capability in ("7.6", "8.1", "9.1"):
            command = [sys.executable, "tests/virtual_cuda/run", str(build), "test", "--device", "cuda:0", "--quick"]
            exact = {"VIRTUAL_CUDA_DEVICES": capability, **EXACT_MEMORY}
            yield Step(f"devq-test-simulated-cuda-{capability}", command,
                       {**exact, "DEVQ_PATH": "portable", "VIRTUAL_CUDA_CHECK_READS": "1"})
            # Once more by the stand-ins for cuBLASLt and cuDNN; what these libraries cannot do is skipped with their reason.
            for name, operations in (("cublaslt", "matmul"), ("cudnn", "conv2d*")):
                yield Step(f"devq-test-simulated-cuda-{capability}-{name}", [*command, "--op", operations],
                           {**exact, "DEVQ_PATH": "vendor"})
    for device in found:
        yield Step(f"digits-{device}", [sys.executable, "tests/digits/run", str(build), device])
    yield Step("devices", [sys.executable, "-c", DEVICES_CHECK, *found])
    yield from sanitizer_steps(build, tests, found)
    yield Step("fuzz", [sys.executable, "tests/fuzz/run", str(build / "asan")], timeout=1200)


def sanitizer_steps(build, tests, found):
    """The same programs once more under sanitizers. Their settings reach the processes that tests start, too."""
    clang, asan = build / "clang", build / "asan"
    notes = ROOT / "tests" / "sanitizers"
    # Suppressions name functions, which takes llvm's own symbolizer, or binutils' where that is not installed.
    symbolizer = f"external_symbolizer_path='{shutil.which('llvm-symbolizer') or shutil.which('addr2line') or ''}'"
    for name, path, folder in tests:
        if runs_under_tsan(name):
            # Modules and their drivers are loaded late, where the sanitizer's fixed address ranges may clash: no random layout.
            yield Step("tsan-" + name, ["setarch", "-R", str(clang / path.relative_to(build))],
                       {"TSAN_OPTIONS": f"halt_on_error=0 exitcode=66 second_deadlock_stack=1 "
                                        f"suppressions='{notes}/threads.txt' {symbolizer}",
                        "DEVQ_TEST_TSAN": "1"})
    # While it follows thread-local memory by __tls_get_addr, clang 14's search for leaks may crash itself ("Tracer caught
    # signal 11": six runs of six of unit-each-device, whose OpenCL driver has threads of its own; none without).
    environment = {
        "ASAN_OPTIONS": f"detect_leaks=1 intercept_tls_get_addr=0 check_initialization_order=1 suppressions='{notes}/addresses.txt' {symbolizer}",
        "LSAN_OPTIONS": f"suppressions='{notes}/leaks.txt' print_suppressions=0",
        "UBSAN_OPTIONS": "halt_on_error=1 print_stacktrace=1",
    }
    for name, path, folder in tests:
        if folder != "conformance":
            cases = [f"--test-case={','.join(ASAN_CASES[name])}"] if name in ASAN_CASES else []
            yield Step("asan-" + name, [str(asan / path.relative_to(build)), *cases], environment, part=bool(cases))
    for device in found:
        yield Step(f"asan-devq-test-{device}", [str(asan / "devq"), "test", "--device", device, "--quick"],
                   {**environment, **EXACT_MEMORY})


# PoCL is among the packages that ./dev installs, so that a machine without an OpenCL device is one to hear about.
DEVICES_CHECK = """
import sys
found = sys.argv[1:]
cpu, opencl = "cpu:0" in found, any(f.startswith("opencl:") for f in found)
print("devices found:", " ".join(found) or "none")
if not opencl:
    print("skipped: opencl: no OpenCL device on this machine")
print(f"{cpu + opencl} passed, {int(not cpu)} failed, {int(not opencl)} skipped")
sys.exit(not cpu)
"""
