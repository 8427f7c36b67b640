#include "cl.hpp"
#include "command_log.hpp"
#include "faults.hpp"
#include "support.hpp"

using namespace devq;
using namespace devq::opencl_test;

namespace {

struct Cleared { // faults never outlive a test case
    ~Cleared() { clear_faults(); }
};

constexpr const char* put_source = "kernel void put(global int* x, int value) { x[0] = value; }";

} // namespace

TEST_CASE("a command that fails while it runs is told by wait(), once, and the queue goes on") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Cleared cleared;
    const auto queue = device->create_queue();
    const auto put = kernel(*device, put_source, "put");
    const auto memory = upload<int>(*device, *queue, {0});
    fail_next_kernel(CL_OUT_OF_RESOURCES);
    queue->launch(put, range(1), Arguments().buffer(memory).value(1));
    fail_next_kernel(CL_INVALID_VALUE);
    queue->launch(put, range(1), Arguments().buffer(memory).value(2));
    const std::string text = error_text(ErrorCode::out_of_memory, [&] { queue->wait(); });
    CHECK(text.find("CL_OUT_OF_RESOURCES") != text.npos); // the first one
    queue->wait();
    queue->launch(put, range(1), Arguments().buffer(memory).value(3));
    CHECK(download<int>(*queue, memory, 1) == std::vector<int>{3});
}

TEST_CASE("a handle that the driver does not know is the caller's mistake, and no loss of the device") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Cleared cleared;
    const auto queue = device->create_queue();
    const auto memory = upload<int>(*device, *queue, {7});
    const auto event = queue->record();
    fail_calls("clGetCommandQueueInfo", CL_INVALID_COMMAND_QUEUE);
    std::string text =
        error_text(ErrorCode::invalid_argument, [&] { device->import_queue(queue->native_handle().value()); });
    CHECK(text.find("no living cl_command_queue: CL_INVALID_COMMAND_QUEUE") != text.npos);
    fail_calls("clGetEventInfo", CL_INVALID_EVENT);
    text = error_text(ErrorCode::invalid_argument, [&] { device->import_event(event->native_handle().value()); });
    CHECK(text.find("no living cl_event: CL_INVALID_EVENT") != text.npos);
    fail_calls("clGetMemObjectInfo", CL_INVALID_MEM_OBJECT);
    std::size_t bytes = 0;
    text =
        error_text(ErrorCode::invalid_argument, [&] { device->import_memory(memory->native_handle().value(), bytes); });
    CHECK(text.find("no living cl_mem: CL_INVALID_MEM_OBJECT") != text.npos);
    CHECK(download<int>(*queue, memory, 1) == std::vector<int>{7});
}

TEST_CASE("an event behind a failed command throws each time; one before it does not") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Cleared cleared;
    const auto queue = device->create_queue();
    const auto put = kernel(*device, put_source, "put");
    const auto memory = upload<int>(*device, *queue, {0});
    const auto before = queue->record();
    fail_next_kernel(CL_OUT_OF_RESOURCES);
    queue->launch(put, range(1), Arguments().buffer(memory).value(1));
    const auto behind = queue->record();
    error_text(ErrorCode::out_of_memory, [&] { behind->wait(); });
    const auto known = queue->record(); // now that the failure is known
    error_text(ErrorCode::out_of_memory, [&] { known->wait(); });
    CHECK(known->done());
    error_text(ErrorCode::out_of_memory, [&] { queue->wait(); });
    error_text(ErrorCode::out_of_memory, [&] { behind->wait(); });
    error_text(ErrorCode::out_of_memory, [&] { known->wait(); });
    before->wait();
    const auto later = queue->record();
    later->wait();
    queue->wait();
}

TEST_CASE("commands behind a failure that is known are dropped") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Cleared cleared;
    const auto queue = device->create_queue();
    const auto put = kernel(*device, put_source, "put");
    const auto memory = upload<int>(*device, *queue, {5});
    queue->wait();
    fail_next_kernel(CL_OUT_OF_RESOURCES);
    queue->launch(put, range(1), Arguments().buffer(device->allocate(4)).value(1));
    error_text(ErrorCode::out_of_memory, [&] { queue->record()->wait(); });
    const int other = 6;
    int untouched = -1;
    queue->launch(put, range(1), Arguments().buffer(memory).value(other));
    queue->write(memory, 0, &other, 4);
    queue->fill(memory, 0, 4, &other, 4);
    queue->copy(memory, 0, memory, 0, 4);
    queue->read(&untouched, memory, 0, 4);
    error_text(ErrorCode::out_of_memory, [&] { queue->wait(); });
    CHECK(untouched == -1);
    CHECK(download<int>(*queue, memory, 1) == std::vector<int>{5});
}

TEST_CASE("a queue that waits for a failed queue's event fails with it") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Cleared cleared;
    const auto first = device->create_queue(), second = device->create_queue(), third = device->create_queue();
    const auto put = kernel(*device, put_source, "put");
    const auto memory = upload<int>(*device, *first, {0});
    fail_next_kernel(CL_OUT_OF_RESOURCES);
    first->launch(put, range(1), Arguments().buffer(memory).value(1));
    const auto event = first->record();
    second->wait_for(event);
    second->launch(put, range(1), Arguments().buffer(memory).value(2));
    third->wait_for(second->record());
    error_text(ErrorCode::out_of_memory, [&] { third->wait(); });
    error_text(ErrorCode::out_of_memory, [&] { second->wait(); });
    error_text(ErrorCode::out_of_memory, [&] { first->wait(); });
    third->wait_for(event); // it stays failed
    error_text(ErrorCode::out_of_memory, [&] { third->wait(); });
    for (const auto* queue : {&first, &second, &third})
        (*queue)->wait();
}

TEST_CASE("clFinish itself fails") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Cleared cleared;
    const auto queue = device->create_queue();
    fail_calls("clFinish", CL_OUT_OF_RESOURCES);
    const std::string text = error_text(ErrorCode::out_of_memory, [&] { queue->wait(); });
    CHECK(text.find("clFinish returned -5") != text.npos);
    queue->wait();
}

TEST_CASE("a device where nothing works any more is lost, for good, and others are not") {
    const auto backend = make_backend();
    if (backend->enumerate().devices.empty())
        return;
    DEVQ_DEVICE_OR_RETURN(other);
    const Cleared cleared;
    const auto device = backend->open(0);
    const auto queue = device->create_queue(), idle = device->create_queue();
    const auto put = kernel(*device, put_source, "put");
    const auto memory = upload<int>(*device, *queue, {0});
    fail_next_kernel(-9999);
    queue->launch(put, range(1), Arguments().buffer(memory).value(1));
    fail_calls("clFinish", CL_INVALID_COMMAND_QUEUE, 2, 1);
    error_text(ErrorCode::device_lost, [&] { queue->wait(); });
    clear_faults();
    error_text(ErrorCode::device_lost, [&] { queue->wait(); });
    error_text(ErrorCode::device_lost, [&] { queue->launch(put, range(1), Arguments().buffer(memory).value(1)); });
    error_text(ErrorCode::device_lost, [&] { idle->record(); });
    error_text(ErrorCode::device_lost, [&] { device->create_queue(); });
    const auto good = other->create_queue();
    const auto other_memory = upload<int>(*other, *good, {4});
    CHECK(download<int>(*good, other_memory, 1) == std::vector<int>{4});
}

TEST_CASE("out of memory at an allocation and at a launch is recoverable") {
    DEVQ_DEVICE_OR_RETURN(device);
    const Cleared cleared;
    const auto queue = device->create_queue();
    for (const int status : {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}) {
        fail_calls("clCreateBuffer", status);
        const std::string text = error_text(ErrorCode::out_of_memory, [&] { device->allocate(12345); });
        CHECK(text.find("12345 bytes") != text.npos);
    }
    const auto memory = upload<int>(*device, *queue, {0});
    const auto put = kernel(*device, put_source, "put");
    fail_calls("clEnqueueNDRangeKernel", CL_MEM_OBJECT_ALLOCATION_FAILURE);
    error_text(ErrorCode::out_of_memory, [&] { queue->launch(put, range(1), Arguments().buffer(memory).value(1)); });
    queue->launch(put, range(1), Arguments().buffer(memory).value(8));
    CHECK(download<int>(*queue, memory, 1) == std::vector<int>{8});
}

TEST_CASE("a failure that was taken is kept as long as an event may ask for it, and no longer") {
    opencl::CommandLog log;
    const auto fail_and_take = [&] {
        log.fail(Error(ErrorCode::out_of_memory, {}, "no room", "Make some."));
        return log.take_failure();
    };
    std::weak_ptr<const Error> asked_for;
    {
        log.fail(Error(ErrorCode::out_of_memory, {}, "no room", "Make some."));
        const auto place = log.last_place(); // an event that is recorded behind the failure
        asked_for = log.take_failure();
        REQUIRE_FALSE(asked_for.expired());
        CHECK(log.failure_before(place) == asked_for.lock());
        CHECK(log.failure_before(log.last_place()) == nullptr);
    }
    CHECK(asked_for.expired());
    std::weak_ptr<const Error> any;
    for (int i = 0; i < 1000; ++i) {
        const auto taken = fail_and_take();
        REQUIRE(taken != nullptr); // also where no command came between
        CHECK(any.expired());
        any = taken;
    }
}
