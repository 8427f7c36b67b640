#include "memory_pool.hpp"
#include "queue_state.hpp"
#include <devq/device.hpp>
#include <devq/memory.hpp>

namespace devq {

using namespace detail;

namespace {

const std::shared_ptr<DeviceState>& checked_device(const std::shared_ptr<DeviceState>& state, const char* operation) {
    if (!state)
        throw Error(ErrorCode::invalid_argument, operation, "this Device is an empty handle",
                    "Open one with devq::open_device.");
    return state;
}

} // namespace

const DeviceInfo& Device::info() const { return checked_device(state_, "Device::info")->info; }

const Capabilities& Device::capabilities() const {
    const auto& device = checked_device(state_, "Device::capabilities");
    device->check_process("Device::capabilities");
    return device->device->capabilities();
}

Queue Device::create_queue() const {
    const auto& device = checked_device(state_, "Device::create_queue");
    device->check_usable("Device::create_queue");
    return Queue(QueueState::create(device));
}

Buffer Device::allocate(std::size_t bytes) const {
    constexpr auto operation = "Device::allocate";
    const auto& device = checked_device(state_, operation);
    device->check_usable(operation);
    const std::uint64_t limit = device->device->capabilities().max_allocation_bytes;
    if (bytes > limit)
        throw Error(ErrorCode::invalid_argument, operation,
                    std::to_string(bytes) + " bytes are more than one buffer of " + device->info.id + " may have (" +
                        std::to_string(limit) + ")",
                    "Check the size for an overflow, or split the data over several buffers.");
    auto buffer = std::make_shared<BufferState>();
    buffer->device = device;
    buffer->bytes = bytes;
    if (bytes == 0)
        return Buffer(std::move(buffer));
    auto [memory, block] =
        call_backend(*device, operation, [&] { return device->pool->allocate(*device->device, bytes); });
    buffer->memory = std::move(memory);
    buffer->block = block;
    Buffer made(std::move(buffer));
    if (device->pool->poisons()) {
        constexpr unsigned char mark = 0xCD;
        const auto* const at_hand = queue_at_hand();
        const Queue queue = create_queue();
        queue.fill(made, 0, bytes, &mark, 1);
        queue.wait();
        queue_at_hand() = at_hand;
    }
    return made;
}

MemoryStatistics memory_statistics(const Device& device) {
    constexpr auto operation = "memory_statistics";
    const auto& state = checked_device(device.state(), operation);
    state->check_process(operation);
    return state->pool->statistics();
}

void reset_memory_peak(const Device& device) {
    constexpr auto operation = "reset_memory_peak";
    const auto& state = checked_device(device.state(), operation);
    state->check_process(operation);
    state->pool->reset_peak();
}

std::uint64_t trim_memory(const Device& device) {
    constexpr auto operation = "trim_memory";
    const auto& state = checked_device(device.state(), operation);
    state->check_process(operation);
    return state->pool->trim();
}

void set_memory_budget(const Device& device, std::uint64_t bytes) {
    constexpr auto operation = "set_memory_budget";
    const auto& state = checked_device(device.state(), operation);
    state->check_process(operation);
    state->pool->set_budget(bytes);
}

} // namespace devq
