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
    return identity;
}

std::shared_ptr<backend::Program> Device::load_program(std::span<const std::byte> binary) {
    return opencl::load_program(context_, binary);
}

} // namespace devq::opencl
