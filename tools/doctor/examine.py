"""What a framework says of itself, as one line of JSON: run by `devq doctor python` as `python -c TEXT NAME`."""
import sys

sys.path[:] = [folder for folder in sys.path if folder]  # the current folder's torch.py is not meant

import importlib
import importlib.util
import json
import platform
import re


def loaded(part):
    """Paths of libraries in this process whose names hold `part`."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = {line.split(None, 5)[5].strip() for line in maps if "/" in line and line.count(" ") > 4}
    except (OSError, IndexError):
        return []
    return sorted(path for path in paths if part in path.rsplit("/", 1)[-1])


def cudnn_text(number):
    """"9.1.0" of 90100, "8.9.2" of 8902."""
    if not number:
        return None
    divisor = 10000 if number >= 90000 else 1000
    return f"{number // divisor}.{number % divisor // 100}.{number % 100}"


def examine_torch(found):
    import torch

    found["version"] = torch.__version__
    found["cuda"] = torch.version.cuda
    found["hip"] = getattr(torch.version, "hip", None)
    # "CuDNN 90.1" is 9.1 (thousands and hundreds of its number); where it loads another, a second line has what it was built with.
    shown = torch.__config__.show()
    built = re.search(r"Built with CuDNN (\d+)\.(\d+)", shown) or re.search(r"CuDNN (\d+)\.(\d+)", shown)
    found["cudnn_built"] = cudnn_text(int(built[1]) * 1000 + int(built[2]) * 100) if built else None
    found["sees_gpu"] = bool(torch.cuda.is_available())
    if not found["sees_gpu"] and (found["cuda"] or found["hip"]):
        try:
            torch.cuda.init()
        except Exception as error:  # its words say why
            found["why"] = str(error)
    if found["cuda"]:
        try:
            found["cudnn_loaded"] = cudnn_text(torch.backends.cudnn.version())
        except Exception as error:
            versions = re.search(r"compiled\s+against \((\d+), (\d+), \d+\) but found runtime version \((\d+), (\d+), \d+\)", str(error))
            if versions:
                found["cudnn_built"], found["cudnn_loaded"] = f"{versions[1]}.{versions[2]}", f"{versions[3]}.{versions[4]}"
            else:
                found["why"] = str(error)
    found["architectures"] = list(torch.cuda.get_arch_list()) if found["sees_gpu"] else []
    if found["sees_gpu"]:
        for index in range(torch.cuda.device_count()):
            major, minor = torch.cuda.get_device_capability(index)
            found["devices"].append(torch.cuda.get_device_name(index))
            found["capabilities"].append(f"{major}{minor}")


def examine_tensorflow(found):
    import tensorflow

    found["version"] = tensorflow.__version__
    build = dict(tensorflow.sysconfig.get_build_info())
    if build.get("is_cuda_build"):
        found["cuda"] = build.get("cuda_version")
        found["cudnn_built"] = build.get("cudnn_version")
    found["hip"] = build.get("rocm_version") if build.get("is_rocm_build") else None
    found["devices"] = [device.name for device in tensorflow.config.list_physical_devices("GPU")]
    found["sees_gpu"] = bool(found["devices"])
    versions = [re.search(r"libcudnn\.so\.([\d.]+)", path) for path in loaded("libcudnn.so")]
    found["cudnn_loaded"] = next((version[1] for version in versions if version), None)


def main(name):
    found = {"name": name, "python": platform.python_version(), "executable": sys.executable, "state": "works",
             "version": None, "cuda": None, "hip": None, "cudnn_built": None, "cudnn_loaded": None, "sees_gpu": False,
             "devices": [], "capabilities": [], "architectures": [], "why": None, "error": None}
    try:
        if name == "python":
            pass
        elif importlib.util.find_spec(name) is None:
            found["state"] = "absent"
        else:
            try:
                importlib.import_module(name)
            except BaseException as error:
                found["state"], found["error"] = "broken", f"{type(error).__name__}: {error}"
            else:
                {"torch": examine_torch, "tensorflow": examine_tensorflow}[name](found)
                found["libraries"] = [path for part in ("libcudnn.so", "libcudart", "libcublasLt", "libcuda.so") for path in loaded(part)]
    except Exception as error:
        found["state"], found["error"] = "broken", f"{type(error).__name__}: {error}"
    sys.stdout.write("\n\x1e" + json.dumps(found) + "\n")
    sys.stdout.flush()


main(sys.argv[1])
