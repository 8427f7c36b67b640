// A driver that promises more than it keeps: the one that DEVQ_TEST_LYING_ICD names (PoCL's library), whose devices
// also claim cl_khr_fp16 and work-groups twice as large as they can have. A launch of the kernel that
// DEVQ_TEST_HANGING_KERNEL names never comes back. All else is the driver's own.
#define CL_TARGET_OPENCL_VERSION 300
#include <algorithm>
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

struct _cl_platform_id {
    cl_icd_dispatch* dispatch;
};
struct _cl_device_id {
    cl_icd_dispatch* dispatch;
};

namespace {

cl_icd_dispatch ours{};
decltype(cl_icd_dispatch::clGetDeviceInfo) real_device_info = nullptr;
decltype(cl_icd_dispatch::clGetDeviceIDs) real_device_ids = nullptr;

using Lookup = void* (*)(const char*);
Lookup driver() {
    static const Lookup lookup = [] {
        const char* library = std::getenv("DEVQ_TEST_LYING_ICD");
        void* handle = library != nullptr ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : nullptr;
        return handle != nullptr ? reinterpret_cast<Lookup>(dlsym(handle, "clGetExtensionFunctionAddress")) : nullptr;
    }();
    return lookup;
}

cl_int give(const void* data, std::size_t bytes, std::size_t size, void* value, std::size_t* needed) {
    if (needed != nullptr)
        *needed = bytes;
    if (value != nullptr && size < bytes)
        return CL_INVALID_VALUE;
    if (value != nullptr)
        std::memcpy(value, data, bytes);
    return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, std::size_t size, void* value,
                               std::size_t* needed) {
    if (what == CL_DEVICE_EXTENSIONS) {
        std::size_t bytes = 0;
        real_device_info(device, what, 0, nullptr, &bytes);
        std::string text(bytes, '\0');
        real_device_info(device, what, bytes, text.data(), nullptr);
        text = std::string(text.c_str()) + " cl_khr_fp16";
        return give(text.c_str(), text.size() + 1, size, value, needed);
    }
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE) {
        std::size_t items = 0;
        real_device_info(device, what, sizeof items, &items, nullptr);
        items *= 2;
        return give(&items, sizeof items, size, value, needed);
    }
    const cl_int status = real_device_info(device, what, size, value, needed);
    if (status == CL_SUCCESS && what == CL_DEVICE_MAX_WORK_ITEM_SIZES && value != nullptr)
        std::for_each_n(static_cast<std::size_t*>(value), size / sizeof(std::size_t), [](std::size_t& n) { n *= 2; });
    return status;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                          const std::size_t* global, const std::size_t* local, cl_uint count, const cl_event* wait,
                          cl_event* event) {
    char name[256] = {};
    ours.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr);
    while (std::strcmp(name, std::getenv("DEVQ_TEST_HANGING_KERNEL")) == 0)
        pause();
    return ours.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, wait, event);
}

cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id* devices,
                              cl_uint* found) {
    cl_uint there = 0;
    const cl_int status = real_device_ids(platform, type, count, devices, &there);
    if (status == CL_SUCCESS && devices != nullptr)
        std::for_each_n(devices, std::min(count, there), [](cl_device_id device) { device->dispatch = &ours; });
    if (found != nullptr)
        *found = there;
    return status;
}

cl_int CL_API_CALL platform_ids(cl_uint count, cl_platform_id* platforms, cl_uint* found) {
    const Lookup lookup = driver();
    const auto real =
        lookup != nullptr ? reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(lookup("clIcdGetPlatformIDsKHR")) : nullptr;
    if (real == nullptr)
        return CL_OUT_OF_HOST_MEMORY;
    cl_uint there = 0;
    const cl_int status = real(count, platforms, &there);
    if (status == CL_SUCCESS && platforms != nullptr)
        std::for_each_n(platforms, std::min(count, there), [](cl_platform_id platform) {
            if (platform->dispatch == &ours)
                return;
            ours = *platform->dispatch;
            if (std::getenv("DEVQ_TEST_HANGING_KERNEL") != nullptr)
                platform->dispatch->clEnqueueNDRangeKernel = launch; // the driver's own table, which its queues have
            real_device_info = ours.clGetDeviceInfo;
            real_device_ids = ours.clGetDeviceIDs;
            ours.clGetDeviceInfo = device_info;
            ours.clGetDeviceIDs = device_ids;
            platform->dispatch = &ours;
        });
    if (found != nullptr)
        *found = there;
    return status;
}

} // namespace

extern "C" __attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
    if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return reinterpret_cast<void*>(platform_ids);
    const Lookup lookup = driver();
    return lookup != nullptr ? lookup(name) : nullptr;
}
