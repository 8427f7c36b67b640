#include "queue_state.hpp"
#include <devq/device.hpp>

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
    if (bytes > 0)
        buffer->memory = call_backend(*device, operation, [&] { return device->device->allocate(bytes); });
    return Buffer(std::move(buffer));
}

} // namespace devq
