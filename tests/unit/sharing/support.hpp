#pragma once
/// OpenCL objects of a program that is not devq, for the tests of sharing.

#define CL_TARGET_OPENCL_VERSION 120
#include <algorithm>
#include <chrono>
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <devq/devq.hpp>
#include <devq/opencl.hpp>
#include <doctest/doctest.h>
#include <filesystem>
#include <thread>
#include <vector>

namespace sharing {

/// Any OpenCL device, opened by devq; an empty handle (and one line `skipped: ...`) on a machine without.
inline devq::Device opencl_device() {
    static const devq::Device shared = []() -> devq::Device {
        const std::string cache = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pocl-cache";
        std::filesystem::create_directories(cache);
        setenv("POCL_CACHE_DIR", cache.c_str(), 0);
        setenv("POCL_DEVICES", "pthread basic", 0); // two devices
        // PoCL's "basic" runs commands in clFlush, which then blocks for as long as a user event is not set.
        for (const devq::DeviceInfo& info : devq::list_devices("opencl").devices)
            if (!info.name.starts_with("basic"))
                return devq::open_device(info.id);
        std::puts("skipped: device: no OpenCL device on this machine");
        return {};
    }();
    return shared;
}

#define DEVQ_DEVICE_OR_RETURN(name)                                                                                    \
    const devq::Device name = sharing::opencl_device();                                                                \
    if (!name)                                                                                                         \
    return

template <class T>
std::vector<T> download(const devq::Queue& queue, const devq::Buffer& buffer) {
    std::vector<T> values(buffer.size() / sizeof(T));
    queue.read(std::span<T>(values), buffer);
    return values;
}

inline cl_uint references(cl_context context) {
    cl_uint count = 0;
    REQUIRE(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr) == CL_SUCCESS);
    return count;
}

/// Whether the context comes to have `count` references: devq's own thread lets go of a queue a moment after its end.
inline bool comes_to(cl_context context, cl_uint count) {
    for (int i = 0; i < 2000 && references(context) != count; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(references(context) == count);
    return references(context) == count;
}

/// What another program made: a context, a queue, a buffer of floats.
struct Foreign {
    explicit Foreign(cl_device_id device, std::vector<float> values = std::vector<float>(64, 2),
                     cl_command_queue_properties properties = 0)
        : device(device), size(values.size() * sizeof(float)) {
        cl_int status = CL_SUCCESS;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
        REQUIRE(status == CL_SUCCESS);
        queue = clCreateCommandQueue(context, device, properties, &status);
        REQUIRE(status == CL_SUCCESS);
        memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, values.data(), &status);
        REQUIRE(status == CL_SUCCESS);
    }
    ~Foreign() {
        release();
        clReleaseContext(context);
    }
    /// All but the context. (PoCL's buffers hold the queue that used them last.)
    void release() {
        if (memory)
            clReleaseMemObject(memory);
        if (queue)
            clReleaseCommandQueue(queue);
        memory = nullptr;
        queue = nullptr;
    }
    Foreign(const Foreign&) = delete;
    Foreign& operator=(const Foreign&) = delete;

    std::vector<float> read() const { return read(queue); }
    std::vector<float> read(cl_command_queue with) const {
        std::vector<float> values(size / sizeof(float));
        CHECK(clEnqueueReadBuffer(with, memory, CL_TRUE, 0, size, values.data(), 0, nullptr, nullptr) == CL_SUCCESS);
        return values;
    }

    cl_device_id device;
    std::size_t size;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_mem memory = nullptr;
};

/// Runs `body`, which must throw an Error of `code`; its text.
template <class Body>
std::string error_text(devq::ErrorCode code, Body&& body) {
    try {
        body();
    } catch (const devq::Error& error) {
        CHECK_MESSAGE(error.code() == code, std::string(error.what()));
        return error.what();
    }
    FAIL_CHECK("no error was thrown");
    return {};
}

/// x[i] = x[i] * factor + 1
inline devq::Kernel step_kernel(const devq::Device& device) {
    return device
        .build("kernel void step_on(global float* x, float factor) {\n"
               "    size_t i = get_global_id(0);\n"
               "    x[i] = x[i] * factor + 1;\n"
               "}\n")
        .kernel("step_on");
}

} // namespace sharing
