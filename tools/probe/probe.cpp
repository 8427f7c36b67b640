// devq-probe [LIBRARY]: loads one OpenCL driver, in a process of its own, since a broken one takes its process with it.
// The caller (backends/opencl/icd_probe.cpp) sets OCL_ICD_VENDORS to a folder that lists this driver alone, waits with
// a limit, and looks for the answer, a line "devq-probe: ...", among what the driver itself may print. "usable" is also
// a driver with no platform or no device, or one that answers errors: the caller will meet the same and report it. What
// gives no answer, be its exit status 0, has ended the process.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
#include <dlfcn.h>
#include <sys/resource.h>
#include <vector>

/// Asks what devq will ask: a driver may also die of a question.
static void ask_everything() {
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS || platform_count == 0)
        return;
    std::vector<cl_platform_id> platforms(platform_count);
    if (clGetPlatformIDs(platform_count, platforms.data(), nullptr) != CL_SUCCESS)
        return;
    for (const cl_platform_id platform : platforms) {
        char text[4096];
        for (const cl_platform_info what : {CL_PLATFORM_NAME, CL_PLATFORM_VERSION})
            clGetPlatformInfo(platform, what, sizeof text, text, nullptr);
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count) != CL_SUCCESS)
            continue;
        std::vector<cl_device_id> devices(device_count);
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, device_count, devices.data(), nullptr) != CL_SUCCESS)
            continue;
        for (const cl_device_id device : devices) {
            std::vector<char> extensions(std::size_t{1} << 16);
            cl_ulong memory = 0;
            for (const cl_device_info what : {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION})
                clGetDeviceInfo(device, what, sizeof text, text, nullptr);
            clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, extensions.size(), extensions.data(), nullptr);
            clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, nullptr);
        }
    }
}

int main(int count, char** arguments) {
    const rlimit none{0, 0}; // no core files: a crash in here is an answer
    setrlimit(RLIMIT_CORE, &none);
    // The loader passes over a library that does not load without a word: ask the dynamic linker itself first.
    if (count == 2 && dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) == nullptr) {
        std::printf("\ndevq-probe: cannot load %s\n", dlerror());
        return 0;
    }
    ask_everything();
    std::puts("\ndevq-probe: usable");
    return 0;
}
