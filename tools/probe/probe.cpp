// devq-probe [LIBRARY]: loads one OpenCL driver, in a process of its own, since a broken one takes its process with it.
// The caller (backends/opencl/icd_probe.cpp) sets OCL_ICD_VENDORS to a folder that lists this driver alone, waits with a
// limit, and reads the exit status: 0 = usable (also with no platform or no device: that is for the caller to report).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
#include <dlfcn.h>
#include <vector>

int main(int count, char** arguments) {
    // The loader passes over a library that does not load without a word: ask the dynamic linker itself first.
    if (count == 2 && dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) == nullptr) {
        std::printf("cannot load %s\n", dlerror());
        return 0;
    }
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS || platform_count == 0) {
        return 0; // the caller will meet the same answer and report it
    }
    std::vector<cl_platform_id> platforms(platform_count);
    if (clGetPlatformIDs(platform_count, platforms.data(), nullptr) != CL_SUCCESS)
        return 0;
    // Ask what devq will ask: a driver may also die of a question.
    for (const cl_platform_id platform : platforms) {
        char text[4096];
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, nullptr);
        clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, nullptr);
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count) != CL_SUCCESS)
            continue;
        std::vector<cl_device_id> devices(device_count);
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, device_count, devices.data(), nullptr) != CL_SUCCESS)
            continue;
        for (const cl_device_id device : devices) {
            std::vector<char> extensions(std::size_t{1} << 16);
            cl_ulong memory = 0;
            clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, nullptr);
            clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, nullptr);
            clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, extensions.size(), extensions.data(), nullptr);
            clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, nullptr);
        }
    }
    std::puts("usable");
    return 0;
}
