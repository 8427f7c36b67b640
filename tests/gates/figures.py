"""The table of what each kernel takes, tests/gates/table.tsv: reading, writing, comparing, judging."""
import dataclasses
import re

COLUMNS = ["file", "kernel", "classes", "constants", "target", "registers", "shared", "private", "spills"]
KEY = 5  # columns that name a row; the rest are figures
# Kernels whose shapes for GPUs spill or use private memory on some target: right, but slower than they need be. The
# table has how much, so that it cannot grow unseen; one that is mended must go from this list.
KNOWN = {
    "attention/attention", "attention_backward/attention_backward", "batch_norm/batch_norm_apply",
    "batch_norm/batch_norm_backward", "batch_norm/batch_norm_statistics", "batch_norm/batch_norm_sums",
    "cross_entropy/cross_entropy", "elementwise_math/binary_math", "elementwise_math/unary_math", "matmul/matmul",
    "matmul/matmul_rows", "mse/mse", "preprocess/preprocess_filter", "preprocess/preprocess_points",
    "reduce/argmax_columns", "reduce/argmax_rows", "reduce/reduce_columns", "reduce/reduce_rows",
    "variance/variance_columns", "variance/variance_rows", "where/where",
}
SHARED_LIMIT = 48 << 10  # bytes that a kernel may declare for NVIDIA's; AMD's take 64 KiB


@dataclasses.dataclass(frozen=True)
class Row:
    file: str
    kernel: str
    classes: str    # device classes that take this shape, e.g. "cpu-v2,opencl-cpu"
    constants: str
    target: str     # sm_80, gfx90a, ...
    registers: str  # NVIDIA: of a thread; AMD: "24v 40s", of a lane and of a wave, and "8a" where there are
    shared: str     # bytes of shared memory (LDS) of a group
    private: str    # bytes of memory of a thread or lane: NVIDIA's stack frame, AMD's scratch
    spills: str     # NVIDIA: bytes stored and loaded; AMD: registers

    @property
    def key(self):
        return tuple(getattr(self, name) for name in COLUMNS[:KEY])

    @property
    def figures(self):
        return tuple(getattr(self, name) for name in COLUMNS[KEY:])

    @property
    def compared(self):
        """The figures that a compiler must give again. Of a shape for CPUs that is whether it spills, not how much:
        clang 16 picks the scalar registers that it spills by their addresses (16 runs on one conv2d: 80 in twelve of
        them, 76 in four)."""
        if "gpu" in self.classes.split(",") or self.spills == "0":
            return self.figures
        return (*self.figures[:-1], "some")

    def name(self):
        return f"{self.file}/{self.kernel} [{self.constants}] ({self.classes}) {self.target}"


def from_ptxas(log):
    """{kernel: figures} of a log of `ptxas -v`."""
    found = {}
    for part in re.split(r"Compiling entry function ", log)[1:]:
        kernel = re.match(r"'(\w+)'", part)
        stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        used = re.search(r"Used (\d+) registers", part)
        if kernel and stack and used:
            shared = re.search(r"(\d+) bytes smem", part)
            found[kernel[1]] = (used[1], shared[1] if shared else "0", stack[1], str(int(stack[2]) + int(stack[3])))
    return found


def from_amdgpu(log):
    """{kernel: figures} of clang's remarks on resource usage."""
    found = {}
    for part in re.split(r"remark: +Function Name: ", log)[1:]:
        kernel = re.match(r"(\w+)", part)
        values = re.findall(r"remark: +([A-Z]\w+(?: \w+)*)(?: \[[\w/]+\])?: (\d+)", part)
        value = {name: int(number) for name, number in values}
        if not kernel or not {"VGPRs", "SGPRs", "ScratchSize", "LDS Size"} <= value.keys():
            continue
        registers = f"{value['VGPRs']}v {value['SGPRs']}s" + (f" {value['AGPRs']}a" if value.get("AGPRs") else "")
        spills = value.get("SGPRs Spill", 0) + value.get("VGPRs Spill", 0)
        found[kernel[1]] = (registers, str(value["LDS Size"]), str(value["ScratchSize"]), str(spills))
    return found


def faults(row):
    """Why a row may not be, whatever the table says."""
    if "gpu" not in row.classes.split(","):
        return []
    found = [f"{number} {unit}, a shape meant for GPUs may have none" for number, unit in
             ((row.private, "bytes of private memory"), (row.spills, "spilled")) if number != "0"]
    if int(row.shared) > SHARED_LIMIT:
        found.append(f"{row.shared} bytes of shared memory, a shape meant for GPUs may have {SHARED_LIMIT}")
    return found


def read(path):
    """({toolchain: version}, {key: row})"""
    versions, rows = {}, {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                name, _, version = line[2:].partition(": ")
                versions[name] = version
            elif line and not line.startswith("file\t"):
                row = Row(*line.split("\t"))
                rows[row.key] = row
    return versions, rows


def write(path, versions, rows):
    lines = [f"# {name}: {version}" for name, version in versions.items()]
    lines.append("\t".join(COLUMNS))
    lines += ["\t".join(dataclasses.astuple(row)) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(old, new, targets):
    """Lines that say how the rows of `targets` differ; no line where they do not."""
    lines = []
    for key, row in new.items():
        if row.target not in targets:
            continue
        if key not in old:
            lines.append(f"new: {row.name()}: " + ", ".join(map(" ".join, zip(COLUMNS[KEY:], row.figures))))
        elif old[key].compared != row.compared:
            pairs = zip(COLUMNS[KEY:], old[key].compared, row.compared)
            changes = [f"{name} {before} -> {now}" for name, before, now in pairs if before != now]
            lines.append(f"changed: {row.name()}: " + ", ".join(changes))
    lines += [f"gone: {row.name()}" for key, row in old.items() if row.target in targets and key not in new]
    return lines
