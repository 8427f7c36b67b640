#include "device.hpp"
#include "check.hpp"
#include "identity.hpp"
#include "memory.hpp"
#include "program.hpp"
#include "queue.hpp"

namespace devq::opencl {

Device::Device(cl_device_id device) : context_(std::make_shared<Context>()) {
    try {
        capabilities_ = capabilities_of(device);
    } catch (const Error& error) {
        throw Error(ErrorCode::unavailable, {}, error.what(), "Update or replace the driver, or use another device.",
                    error.native_call(), error.native_code());
    }
    translated([&] {
        context_->device = cl::Device(device, true);
        context_->context = cl::Context(context_->device);
    });
}

std::shared_ptr<backend::Memory> Device::allocate(std::size_t bytes) { return opencl::allocate(context_, bytes); }

std::unique_ptr<backend::Queue> Device::create_queue() { return std::make_unique<Queue>(context_); }

std::shared_ptr<backend::Program> Device::build(const backend::ProgramSource& source) {
    return build_program(context_, source);
}

std::shared_ptr<backend::Program> Device::load_program(std::span<const std::byte> binary) {
    return opencl::load_program(context_, binary);
}

} // namespace devq::opencl
