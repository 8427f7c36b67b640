/// A driver that is none: enough of an OpenCL platform to be listed, with something wrong with it. A copy that is
/// called standin-WHAT.so has that wrong, any other what DEVQ_TEST_ICD says. Each load is a line "PROCESS WHAT" in the
/// file DEVQ_TEST_ICD_LOG.
///   load-abort   aborts when loaded                ask-abort   aborts when a device is asked for its name
///   load-hang    never ends loading                ask-hang    never answers
///   load-exit    ends the process with status 0    end-abort   aborts when its process ends
///   none         no platform                       refuses     clIcdGetPlatformIDsKHR fails
///   talks        like gpus, and prints what a careless reader could take for the probe's answer
///   empty        a platform without devices        error       clGetDeviceIDs fails
///   old          an OpenCL 1.1 device              silent      a device that answers nothing
///   unavailable  CL_DEVICE_AVAILABLE is false      compilerless
///   gpus         an AMD and an NVIDIA GPU, and one that tells its address by cl_khr_pci_bus_info
///   cards        the same, with the NVIDIA one at a function 0, as CUDA sees such cards

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

struct _cl_platform_id {
    cl_icd_dispatch* dispatch;
};
struct _cl_device_id {
    cl_icd_dispatch* dispatch;
    const char *name, *vendor, *extensions;
};

namespace {

const char in_this_library = 0;

std::string find_mode() {
    Dl_info info{};
    dladdr(&in_this_library, &info);
    const std::string file = info.dli_fname;
    if (const auto at = file.rfind("/standin-"); at != file.npos)
        return file.substr(at + 9, file.rfind(".so") - at - 9);
    return std::getenv("DEVQ_TEST_ICD") ? std::getenv("DEVQ_TEST_ICD") : "empty";
}

const std::string& mode() {
    static const std::string text = find_mode();
    return text;
}

bool has_gpus() { return mode() == "gpus" || mode() == "cards" || mode() == "talks"; }

[[noreturn]] void die() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::abort();
}
[[noreturn]] void hang() {
    for (;;)
        pause();
}

__attribute__((constructor)) void loaded() {
    if (const char* file = std::getenv("DEVQ_TEST_ICD_LOG")) {
        std::string process;
        std::getline(std::ifstream("/proc/self/comm"), process);
        std::ofstream(file, std::ios::app) << process + ' ' + mode() + '\n';
    }
    if (mode() == "load-abort")
        die();
    if (mode() == "load-hang")
        hang();
    if (mode() == "load-exit")
        _exit(0);
    if (mode() == "talks") {
        std::puts("cannot load firmware");
        std::fputs("usable: no\n", stderr);
    }
}

__attribute__((destructor)) void unloaded() {
    if (mode() == "end-abort")
        die();
}

cl_icd_dispatch table{};
_cl_platform_id the_platform{&table};
_cl_device_id plain{&table, "Stand-in", "Nobody & Sons ", ""};
_cl_device_id gpus[] = {
    {&table, "gfx1030", "Advanced Micro Devices, Inc.", "cl_khr_fp64 cl_khr_fp16 cl_amd_device_attribute_query"},
    {&table, "NVIDIA H100", "NVIDIA Corporation", "cl_khr_fp64 cl_nv_device_attribute_query"},
    {&table, "Intel(R) Arc(TM) A770", "Intel(R) Corporation", "cl_khr_pci_bus_info"},
};

cl_int give(const void* data, std::size_t bytes, std::size_t size, void* value, std::size_t* needed) {
    if (needed)
        *needed = bytes;
    if (value && size < bytes)
        return CL_INVALID_VALUE;
    if (value)
        std::memcpy(value, data, bytes);
    return CL_SUCCESS;
}
cl_int give(const std::string& text, std::size_t size, void* value, std::size_t* needed) {
    return give(text.c_str(), text.size() + 1, size, value, needed);
}
template <class T>
cl_int give_number(T number, std::size_t size, void* value, std::size_t* needed) {
    return give(&number, sizeof number, size, value, needed);
}

cl_int CL_API_CALL platform_ids(cl_uint count, cl_platform_id* platforms, cl_uint* found) {
    if (mode() == "refuses")
        return CL_OUT_OF_HOST_MEMORY;
    if (found)
        *found = mode() != "none";
    if (mode() == "none")
        return CL_SUCCESS;
    if (count && platforms)
        platforms[0] = &the_platform;
    return CL_SUCCESS;
}

cl_int CL_API_CALL platform_info(cl_platform_id, cl_platform_info what, std::size_t size, void* value,
                                 std::size_t* needed) {
    switch (what) {
    case CL_PLATFORM_NAME:
        return give("Stand-in platform", size, value, needed);
    case CL_PLATFORM_VENDOR:
        return give("devq tests", size, value, needed);
    case CL_PLATFORM_VERSION:
        return give("OpenCL 3.0 stand-in", size, value, needed);
    case CL_PLATFORM_PROFILE:
        return give("FULL_PROFILE", size, value, needed);
    case CL_PLATFORM_EXTENSIONS:
        return give("cl_khr_icd", size, value, needed);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return give("DEVQ", size, value, needed);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL device_ids(cl_platform_id, cl_device_type, cl_uint count, cl_device_id* devices, cl_uint* found) {
    if (mode() == "empty")
        return CL_DEVICE_NOT_FOUND;
    if (mode() == "error")
        return CL_OUT_OF_HOST_MEMORY;
    const cl_uint there = has_gpus() ? 3 : 1;
    if (found)
        *found = there;
    for (cl_uint i = 0; devices && i < count && i < there; ++i)
        devices[i] = has_gpus() ? &gpus[i] : &plain;
    return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, std::size_t size, void* value,
                               std::size_t* needed) {
    if (mode() == "silent" && what != CL_DEVICE_VERSION)
        return CL_OUT_OF_RESOURCES;
    if (mode() == "ask-abort")
        die();
    if (mode() == "ask-hang")
        hang();
    const bool amd = device == &gpus[0], nvidia = device == &gpus[1], other = device == &gpus[2];
    switch (what) {
    case CL_DEVICE_NAME:
        return give(device->name, size, value, needed);
    case CL_DEVICE_VENDOR:
        return give(device->vendor, size, value, needed);
    case CL_DEVICE_EXTENSIONS:
        return give(device->extensions, size, value, needed);
    case CL_DEVICE_VERSION:
        return give(mode() == "old" ? "OpenCL 1.1 x" : "OpenCL 1.2 x", size, value, needed);
    case CL_DRIVER_VERSION:
        return give("1.2.3", size, value, needed);
    case CL_DEVICE_TYPE:
        return give_number<cl_device_type>(CL_DEVICE_TYPE_GPU, size, value, needed);
    case CL_DEVICE_AVAILABLE:
        return give_number<cl_bool>(mode() != "unavailable", size, value, needed);
    case CL_DEVICE_COMPILER_AVAILABLE:
        return give_number<cl_bool>(mode() != "compilerless", size, value, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return give_number<cl_ulong>(cl_ulong{16} << 30, size, value, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return give_number<cl_uint>(60, size, value, needed);
    case 0x4008:
        return nvidia ? give_number<cl_uint>(0x65, size, value, needed) : CL_INVALID_VALUE;
    case 0x4009:
        return nvidia ? give_number<cl_uint>(mode() == "cards" ? 0x08 : 0x0a, size, value, needed) // 01.0, 01.2
                      : CL_INVALID_VALUE;
    case 0x400A:
        return nvidia ? give_number<cl_uint>(0x1, size, value, needed) : CL_INVALID_VALUE;
    case 0x4037: {
        const unsigned char topology[24] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,   0,
                                            0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc3, 0x0, 0x1};
        return amd ? give(topology, sizeof topology, size, value, needed) : CL_INVALID_VALUE;
    }
    case 0x4038:
        return amd ? give("AMD Radeon RX 6800", size, value, needed) : CL_INVALID_VALUE;
    case CL_DEVICE_PCI_BUS_INFO_KHR:
        return other ? give_number(cl_device_pci_bus_info_khr{0, 3, 0, 0}, size, value, needed) : CL_INVALID_VALUE;
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL keep_device(cl_device_id) { return CL_SUCCESS; }

} // namespace

extern "C" __attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
    table.clGetPlatformIDs = platform_ids;
    table.clGetPlatformInfo = platform_info;
    table.clGetDeviceIDs = device_ids;
    table.clGetDeviceInfo = device_info;
    table.clRetainDevice = keep_device;
    table.clReleaseDevice = keep_device;
    const std::string wanted = name;
    if (wanted == "clIcdGetPlatformIDsKHR")
        return reinterpret_cast<void*>(platform_ids);
    if (wanted == "clGetPlatformInfo")
        return reinterpret_cast<void*>(platform_info);
    return nullptr;
}
