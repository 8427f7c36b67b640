#include "device.hpp"
#include "check.hpp"
#include "event.hpp"
#include "identity.hpp"
#include "memory.hpp"
#include "program.hpp"
#include "queue.hpp"
#include "verify.hpp"
#include <algorithm>

namespace devq::opencl {

Device::Device(cl_device_id device) : Device(device, nullptr) {}

Device::Device(cl_device_id device, cl_context context) : context_(std::make_shared<Context>()) {
    try {
        capabilities_ = capabilities_of(device);
    } catch (const Error& error) {
        throw Error(ErrorCode::unavailable, {}, error.what(), "Update or replace the driver, or use another device.",
                    error.native_call(), error.native_code());
    }
    translated([&] {
        context_->device = cl::Device(device, true);
        if (!context) {
            context_->context = cl::Context(context_->device);
            return;
        }
        const auto devices = cl::Context(context, true).getInfo<CL_CONTEXT_DEVICES>();
        if (std::find(devices.begin(), devices.end(), context_->device) == devices.end())
            throw Error(ErrorCode::invalid_argument, {}, "the device is not in the context",
                        "Pass a device that the context was made for.");
        context_->context = cl::Context(context, true);
    });
    capabilities_.f16_arithmetic = capabilities_.f16_arithmetic && computes_in_half(*this);
}

std::unique_ptr<backend::Queue> Device::import_queue(backend::NativeHandle queue) {
    return std::make_unique<Queue>(context_, from_native<cl_command_queue>(queue));
}

std::shared_ptr<backend::Event> Device::import_event(backend::NativeHandle event) {
    return opencl::import_event(context_, from_native<cl_event>(event));
}

std::shared_ptr<backend::Memory> Device::import_memory(backend::NativeHandle memory, std::size_t& bytes) {
    return opencl::import_memory(context_, from_native<cl_mem>(memory), bytes);
}

std::shared_ptr<backend::Memory> Device::allocate(std::size_t bytes) { return opencl::allocate(context_, bytes); }

std::unique_ptr<backend::Queue> Device::create_queue() { return std::make_unique<Queue>(context_); }

std::shared_ptr<backend::Program> Device::build(const backend::ProgramSource& source) {
    return build_program(context_, source);
}

std::string Device::build_identity() const {
    const cl_device_id device = context_->device();
    std::string identity;
    try {
        const auto platform = cl::Platform(info_of<cl_platform_id>(device, CL_DEVICE_PLATFORM));
        identity = platform.getInfo<CL_PLATFORM_NAME>() + ';' + platform.getInfo<CL_PLATFORM_VERSION>();
    } catch (const std::exception&) {
        return {}; // a driver that does not say which it is: nothing of it is kept
    }
    for (const cl_device_info what :
         {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION, CL_DEVICE_EXTENSIONS})
        identity += ';' + text_of(device, what);
    return identity + ';' + language_options;
}

std::shared_ptr<backend::Program> Device::load_program(std::span<const std::byte> binary) {
    return opencl::load_program(context_, binary);
}

} // namespace devq::opencl
