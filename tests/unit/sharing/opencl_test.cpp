#include "support.hpp"
#include <chrono>
#include <devq/cuda.hpp>
#include <thread>

using namespace devq;
using namespace sharing;

TEST_CASE("the handles that devq gives belong together") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(256);
    const cl_context context = opencl::context(device);
    const cl_device_id id = opencl::device_id(device);

    cl_context its_context = nullptr;
    cl_device_id its_device = nullptr;
    const cl_command_queue native = opencl::command_queue(queue);
    CHECK(clGetCommandQueueInfo(native, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, nullptr) == CL_SUCCESS);
    CHECK(clGetCommandQueueInfo(native, CL_QUEUE_DEVICE, sizeof its_device, &its_device, nullptr) == CL_SUCCESS);
    CHECK(its_context == context);
    CHECK(its_device == id);
    std::size_t bytes = 0;
    CHECK(clGetMemObjectInfo(opencl::mem(buffer), CL_MEM_CONTEXT, sizeof its_context, &its_context, nullptr) ==
          CL_SUCCESS);
    CHECK(clGetMemObjectInfo(opencl::mem(buffer), CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) == CL_SUCCESS);
    CHECK(its_context == context);
    CHECK(bytes >= 256); // in whole blocks of the cache
    CHECK(opencl::mem(device.allocate(0)) == nullptr);
    const Event event = queue.record();
    const cl_event native_event = opencl::event(event);
    CHECK(clWaitForEvents(1, &native_event) == CL_SUCCESS);

    // Lent, not given away: however often they are asked for.
    const cl_uint before = references(context);
    for (int i = 0; i < 3; ++i) {
        CHECK(opencl::context(device) == context);
        CHECK(opencl::command_queue(queue) == native);
        CHECK(opencl::mem(buffer) == opencl::mem(buffer));
        CHECK(opencl::event(event) == native_event);
    }
    CHECK(references(context) == before);
}

TEST_CASE("OpenCL calls and devq's commands in turn on devq's queue") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(64 * sizeof(float));
    const Kernel step = step_kernel(device);
    const cl_command_queue native = opencl::command_queue(queue);
    const float three = 3;
    CHECK(clEnqueueFillBuffer(native, opencl::mem(buffer), &three, sizeof three, 0, buffer.size(), 0, nullptr,
                              nullptr) == CL_SUCCESS);
    queue.launch(step, 64, buffer, 2.0f); // 7
    std::vector<float> host(64);
    CHECK(clEnqueueReadBuffer(native, opencl::mem(buffer), CL_TRUE, 0, buffer.size(), host.data(), 0, nullptr,
                              nullptr) == CL_SUCCESS);
    CHECK(host == std::vector<float>(64, 7));
    queue.launch(step, 64, buffer, 1.0f);
    CHECK(download<float>(queue, buffer) == std::vector<float>(64, 8));
}

TEST_CASE("devq works in a context, on a queue and in memory that others have made") {
    DEVQ_DEVICE_OR_RETURN(opened);
    Foreign foreign(opencl::device_id(opened));
    {
        const Device device = opencl::wrap_device(foreign.context, foreign.device);
        CHECK(device.info().id == opened.info().id);
        CHECK_FALSE(device == opened);
        CHECK(opencl::context(device) == foreign.context);
        const Queue queue = opencl::wrap_queue(device, foreign.queue);
        CHECK(opencl::command_queue(queue) == foreign.queue);
        const Buffer buffer = opencl::wrap_buffer(device, foreign.memory);
        CHECK(buffer.size() == foreign.size);
        CHECK(opencl::mem(buffer) == foreign.memory);

        const Kernel step = step_kernel(device);
        queue.launch(step, 64, buffer, 10.0f); // 21
        CHECK(foreign.read() == std::vector<float>(64, 21));
        // An operation of devq's own, into memory of devq's own, from memory of others.
        const Tensor result(device, DType::f32, {8, 8});
        const TensorView view(buffer, DType::f32, {8, 8});
        ops::binary(queue, ops::Binary::add, result, view, view);
        CHECK(download<float>(queue, result.buffer()) == std::vector<float>(64, 42));
        // Between the two contexts of one device, too.
        const Buffer copied = opened.allocate(foreign.size);
        const Queue other = opened.create_queue();
        other.copy(copied, 0, buffer, 0, foreign.size);
        CHECK(download<float>(other, copied) == std::vector<float>(64, 21));
        CHECK(references(foreign.context) > 3);
    }
    foreign.release();
    CHECK(comes_to(foreign.context, 1)); // all shares are given back
}

TEST_CASE("devq keeps what it has taken alive") {
    DEVQ_DEVICE_OR_RETURN(opened);
    Device device;
    Queue queue;
    Buffer buffer;
    {
        Foreign foreign(opencl::device_id(opened));
        device = opencl::wrap_device(foreign.context, foreign.device);
        queue = opencl::wrap_queue(device, foreign.queue);
        buffer = opencl::wrap_buffer(device, foreign.memory);
    }
    queue.launch(step_kernel(device), 64, buffer, 1.0f);
    CHECK(download<float>(queue, buffer) == std::vector<float>(64, 3));
}

TEST_CASE("a sub-buffer is a buffer") {
    DEVQ_DEVICE_OR_RETURN(opened);
    Foreign foreign(opencl::device_id(opened), std::vector<float>(2048, 2));
    const Device device = opencl::wrap_device(foreign.context, foreign.device);
    const cl_buffer_region region{4096, 256};
    cl_int status = CL_SUCCESS;
    const cl_mem part =
        clCreateSubBuffer(foreign.memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    REQUIRE(status == CL_SUCCESS);
    {
        const Queue queue = opencl::wrap_queue(device, foreign.queue);
        const Buffer buffer = opencl::wrap_buffer(device, part);
        CHECK(buffer.size() == 256);
        queue.launch(step_kernel(device), 64, buffer, 2.0f);
        std::vector<float> expected(2048, 2);
        std::fill_n(expected.begin() + 1024, 64, 5.0f);
        CHECK(foreign.read() == expected);
    }
    clReleaseMemObject(part);
}

TEST_CASE("events order work across: devq waits for OpenCL's, OpenCL for devq's") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(64 * sizeof(float));
    cl_int status = CL_SUCCESS;
    const cl_event gate = clCreateUserEvent(opencl::context(device), &status);
    REQUIRE(status == CL_SUCCESS);
    const Event wrapped = opencl::wrap_event(device, gate);
    CHECK_FALSE(wrapped.done());
    queue.wait_for(wrapped);
    const float one = 1;
    queue.fill(buffer, 0, buffer.size(), &one, sizeof one);
    const Event end = queue.record();
    CHECK_FALSE(end.done());

    // Another queue of OpenCL's, behind devq's event.
    const cl_command_queue other = clCreateCommandQueue(opencl::context(device), opencl::device_id(device), 0, &status);
    REQUIRE(status == CL_SUCCESS);
    const cl_event awaited = opencl::event(end);
    std::vector<float> host(64);
    CHECK(clEnqueueReadBuffer(other, opencl::mem(buffer), CL_FALSE, 0, buffer.size(), host.data(), 1, &awaited,
                              nullptr) == CL_SUCCESS);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    CHECK(clFinish(other) == CL_SUCCESS);
    CHECK(host == std::vector<float>(64, 1));
    wrapped.wait();
    CHECK(wrapped.done());
    queue.wait();
    // The host's event has no time, and says so.
    CHECK(error_text(ErrorCode::unsupported, [&] { elapsed_ms(wrapped, end); }).find("clGetEventProfilingInfo") !=
          std::string::npos);
    clReleaseCommandQueue(other);
    clReleaseEvent(gate);
}

TEST_CASE("a failed event of OpenCL's fails the queue that waits for it") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Queue queue = device.create_queue();
    cl_int status = CL_SUCCESS;
    const cl_event gate = clCreateUserEvent(opencl::context(device), &status);
    REQUIRE(status == CL_SUCCESS);
    CHECK(clSetUserEventStatus(gate, -5) == CL_SUCCESS);
    const Event wrapped = opencl::wrap_event(device, gate);
    CHECK(wrapped.done());
    CHECK(error_text(ErrorCode::out_of_memory, [&] { wrapped.wait(); }).find("CL_OUT_OF_RESOURCES") !=
          std::string::npos);
    queue.wait_for(wrapped);
    error_text(ErrorCode::out_of_memory, [&] { queue.wait(); });
    queue.wait(); // said once
    clReleaseEvent(gate);
}

TEST_CASE("a queue that waits for another device is handed out when all is in it") {
    DEVQ_DEVICE_OR_RETURN(device);
    Foreign foreign(opencl::device_id(device));
    const Device other = opencl::wrap_device(foreign.context, foreign.device);
    cl_int status = CL_SUCCESS;
    const cl_event gate = clCreateUserEvent(foreign.context, &status);
    REQUIRE(status == CL_SUCCESS);
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(64 * sizeof(float));
    queue.wait_for(opencl::wrap_event(other, gate)); // parked from here on
    const float one = 1;
    queue.fill(buffer, 0, buffer.size(), &one, sizeof one);
    std::atomic<bool> opened = false;
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        opened = true;
        clSetUserEventStatus(gate, CL_COMPLETE);
    });
    const cl_command_queue native = opencl::command_queue(queue);
    CHECK(opened);
    opener.join();
    std::vector<float> host(64);
    CHECK(clEnqueueReadBuffer(native, opencl::mem(buffer), CL_TRUE, 0, buffer.size(), host.data(), 0, nullptr,
                              nullptr) == CL_SUCCESS);
    CHECK(host == std::vector<float>(64, 1));
    clReleaseEvent(gate);
}

TEST_CASE("what cannot be shared is refused in words") {
    DEVQ_DEVICE_OR_RETURN(device);
    constexpr auto invalid = ErrorCode::invalid_argument, unsupported = ErrorCode::unsupported;
    Foreign foreign(opencl::device_id(device));
    const Device wrapped = opencl::wrap_device(foreign.context, foreign.device);
    const auto says = [](const std::string& text, const std::string& part) {
        CHECK_MESSAGE(text.find(part) != text.npos, text);
    };

    says(error_text(invalid, [] { opencl::context(Device()); }), "opencl::context: the Device is an empty handle");
    says(error_text(invalid, [] { opencl::mem(Buffer()); }), "the Buffer is an empty handle");
    says(error_text(invalid, [] { opencl::command_queue(Queue()); }), "the Queue is an empty handle");
    says(error_text(invalid, [] { opencl::event(Event()); }), "the Event is an empty handle");
    says(error_text(invalid, [&] { opencl::wrap_device(nullptr, foreign.device); }), "the cl_context is null");
    says(error_text(invalid, [&] { opencl::wrap_device(foreign.context, nullptr); }), "the cl_device_id is null");
    says(error_text(invalid, [&] { opencl::wrap_queue(wrapped, nullptr); }), "the cl_command_queue is null");
    says(error_text(invalid, [&] { opencl::wrap_buffer(wrapped, nullptr); }), "the cl_mem is null");
    says(error_text(invalid, [&] { opencl::wrap_event(wrapped, nullptr); }), "the cl_event is null");

    // devq's own context is another one.
    says(error_text(invalid, [&] { opencl::wrap_queue(device, foreign.queue); }), "another cl_context");
    says(error_text(invalid, [&] { opencl::wrap_buffer(device, foreign.memory); }), "another cl_context");
    const Queue queue = opencl::wrap_queue(wrapped, foreign.queue);
    const Event event = queue.record();
    says(error_text(invalid, [&] { opencl::wrap_event(device, opencl::event(event)); }), "another cl_context");

    if (Foreign out_of_order(foreign.device, {1}, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); out_of_order.queue)
        says(error_text(invalid,
                        [&] {
                            opencl::wrap_queue(opencl::wrap_device(out_of_order.context, foreign.device),
                                               out_of_order.queue);
                        }),
             "out of order");

    // A queue without profiling serves, but for times.
    const Event start = queue.record(), end = queue.record();
    queue.wait();
    says(error_text(unsupported, [&] { elapsed_ms(start, end); }), "CL_QUEUE_PROFILING_ENABLE");

    const Device cpu = open_device("cpu:0");
    says(error_text(unsupported, [&] { opencl::context(cpu); }), "cpu:0 belongs to the backend cpu");
    says(error_text(unsupported, [&] { opencl::mem(cpu.allocate(16)); }), "opencl::mem");
    says(error_text(unsupported, [&] { opencl::wrap_buffer(cpu, foreign.memory); }), "opencl::wrap_buffer");
    says(error_text(unsupported, [&] { cuda::stream(queue); }), "cuda::stream");
    says(error_text(unsupported, [&] { cuda::wrap_memory(device, 4096, 16); }), "backend opencl");
    says(error_text(invalid, [&] { cuda::wrap_memory(device, 4097, 16); }), "multiple of 16");
}

TEST_CASE("sub-devices and devices of other contexts are refused") {
    DEVQ_DEVICE_OR_RETURN(device);
    Foreign foreign(opencl::device_id(device));
    cl_int status = CL_SUCCESS;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint parts = 0;
    if (clCreateSubDevices(foreign.device, equally, 0, nullptr, &parts) == CL_SUCCESS && parts > 0) {
        std::vector<cl_device_id> all(parts);
        REQUIRE(clCreateSubDevices(foreign.device, equally, parts, all.data(), nullptr) == CL_SUCCESS);
        const cl_context context = clCreateContext(nullptr, 1, &all[0], nullptr, nullptr, &status);
        REQUIRE(status == CL_SUCCESS);
        CHECK(error_text(ErrorCode::invalid_argument, [&] {
                  opencl::wrap_device(context, all[0]);
              }).find("sub-device") != std::string::npos);
        clReleaseContext(context);
        for (const cl_device_id one : all)
            clReleaseDevice(one);
    }

    if (list_devices("opencl").devices.size() < 2) // PoCL gives two: support.hpp asks for them
        return;
    const Device second = open_device(device.info().id == "opencl:0" ? "opencl:1" : "opencl:0");
    const cl_device_id pair[] = {foreign.device, opencl::device_id(second)};
    CHECK(error_text(ErrorCode::invalid_argument, [&] {
              opencl::wrap_device(foreign.context, pair[1]);
          }).find("not in the context") != std::string::npos);
    const cl_context both = clCreateContext(nullptr, 2, pair, nullptr, nullptr, &status);
    if (status != CL_SUCCESS) // of two platforms
        return;
    const cl_command_queue queue = clCreateCommandQueue(both, pair[1], 0, &status);
    REQUIRE(status == CL_SUCCESS);
    CHECK(error_text(ErrorCode::invalid_argument, [&] {
              opencl::wrap_queue(opencl::wrap_device(both, pair[0]), queue);
          }).find("another device") != std::string::npos);
    {
        const Device wrapped = opencl::wrap_device(both, pair[1]);
        CHECK(wrapped.info().id == second.info().id);
        const Queue own = opencl::wrap_queue(wrapped, queue);
        const Buffer buffer = wrapped.allocate(64 * sizeof(float));
        const float one = 1;
        own.fill(buffer, 0, buffer.size(), &one, sizeof one);
        own.launch(step_kernel(wrapped), 64, buffer, 2.0f);
        CHECK(download<float>(own, buffer) == std::vector<float>(64, 3));
    }
    clReleaseCommandQueue(queue);
    clReleaseContext(both);
}
