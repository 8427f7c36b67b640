#include "faults.hpp"
#define CL_TARGET_OPENCL_VERSION 300
#include <atomic>
#include <CL/cl.h>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace devq::opencl_test {

namespace {

struct Fault {
    int status, count, skip;
};
std::mutex mutex;
std::map<std::string, Fault> faults;
std::map<cl_event, int> spoiled; // events that end with a status of their own
int next_kernel = CL_SUCCESS;
std::string claimed;
std::atomic<int> flush_count{0}, conflict_count{0};
std::map<cl_kernel, std::thread::id> setters; // who is about to launch the kernel

int due(const char* function) {
    std::lock_guard lock(mutex);
    const auto found = faults.find(function);
    if (found == faults.end() || found->second.count == 0)
        return CL_SUCCESS;
    if (found->second.skip > 0) {
        --found->second.skip;
        return CL_SUCCESS;
    }
    --found->second.count;
    return found->second.status;
}

void claim(cl_kernel kernel) {
    std::lock_guard lock(mutex);
    const auto [at, first] = setters.emplace(kernel, std::this_thread::get_id());
    conflict_count += !first && at->second != std::this_thread::get_id();
}

void release(cl_kernel kernel) {
    std::lock_guard lock(mutex);
    setters.erase(kernel);
}

template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

void fail_calls(const std::string& function, int status, int count, int skip) {
    std::lock_guard lock(mutex);
    faults[function] = {status, count, skip};
}

void fail_next_kernel(int status) {
    std::lock_guard lock(mutex);
    next_kernel = status;
}

void clear_faults() {
    std::lock_guard lock(mutex);
    faults.clear();
    spoiled.clear();
    next_kernel = CL_SUCCESS;
    claimed.clear();
}

void claim_extension(const std::string& name) {
    std::lock_guard lock(mutex);
    claimed = name;
}

int flushes() { return flush_count; }
int kernel_conflicts() { return conflict_count; }

} // namespace devq::opencl_test

using namespace devq::opencl_test;

extern "C" {

cl_int clFinish(cl_command_queue queue) {
    static const auto next = real<decltype(clFinish)>("clFinish");
    const cl_int done = next(queue);
    const int status = due("clFinish");
    return status ? status : done;
}

cl_int clFlush(cl_command_queue queue) {
    static const auto next = real<decltype(clFlush)>("clFlush");
    ++flush_count;
    return next(queue);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* needed) {
    static const auto next = real<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
    std::string more;
    {
        std::lock_guard lock(mutex);
        more = claimed;
    }
    if (what != CL_DEVICE_EXTENSIONS || more.empty())
        return next(device, what, size, value, needed);
    std::string text(std::size_t{1} << 16, '\0');
    if (const cl_int status = next(device, what, text.size(), text.data(), nullptr))
        return status;
    text = std::string(text.c_str()) + ' ' + more;
    if (needed)
        *needed = text.size() + 1;
    if (value && size <= text.size())
        return CL_INVALID_VALUE;
    if (value)
        std::memcpy(value, text.c_str(), text.size() + 1);
    return CL_SUCCESS;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* status) {
    static const auto next = real<decltype(clCreateBuffer)>("clCreateBuffer");
    if (const int fault = due("clCreateBuffer")) {
        if (status)
            *status = fault;
        return nullptr;
    }
    return next(context, flags, size, host, status);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    static const auto next = real<decltype(clSetKernelArg)>("clSetKernelArg");
    claim(kernel);
    std::this_thread::yield(); // so that threads meet here
    const cl_int done = next(kernel, index, size, value);
    if (done != CL_SUCCESS)
        release(kernel);
    return done;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                              const size_t* global, const size_t* local, cl_uint count, const cl_event* events,
                              cl_event* event) {
    static const auto next = real<decltype(clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel");
    if (const int fault = due("clEnqueueNDRangeKernel"))
        return fault;
    claim(kernel);
    const cl_int done = next(queue, kernel, dimensions, offset, global, local, count, events, event);
    release(kernel);
    std::lock_guard lock(mutex);
    if (next_kernel != CL_SUCCESS && done == CL_SUCCESS && event)
        spoiled[*event] = std::exchange(next_kernel, CL_SUCCESS);
    return done;
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
    static const auto next = real<decltype(clEnqueueBarrierWithWaitList)>("clEnqueueBarrierWithWaitList");
    const int fault = due("clEnqueueBarrierWithWaitList");
    return fault ? fault : next(queue, count, events, event);
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t size, void* value,
                             size_t* needed) {
    static const auto next = real<decltype(clGetCommandQueueInfo)>("clGetCommandQueueInfo");
    const int fault = due("clGetCommandQueueInfo");
    return fault ? fault : next(queue, what, size, value, needed);
}

cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t size, void* value, size_t* needed) {
    static const auto next = real<decltype(clGetMemObjectInfo)>("clGetMemObjectInfo");
    const int fault = due("clGetMemObjectInfo");
    return fault ? fault : next(memory, what, size, value, needed);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* value, size_t* needed) {
    static const auto next = real<decltype(clGetEventInfo)>("clGetEventInfo");
    if (what == CL_EVENT_CONTEXT)
        if (const int fault = due("clGetEventInfo"))
            return fault;
    const cl_int done = next(event, what, size, value, needed);
    if (done == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && value) {
        std::lock_guard lock(mutex);
        const auto found = spoiled.find(event);
        if (found != spoiled.end() && *static_cast<cl_int*>(value) == CL_COMPLETE) {
            *static_cast<cl_int*>(value) = found->second;
            spoiled.erase(found); // the log asks once, then lets the event go; its address may come again
        }
    }
    return done;
}

} // extern "C"
