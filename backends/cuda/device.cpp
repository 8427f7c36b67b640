#include "device.hpp"
#include "compiler.hpp"
#include "event.hpp"
#include "memory.hpp"
#include "program.hpp"
#include "queue.hpp"
#include <algorithm>

namespace devq::cuda {

namespace {

Capabilities capabilities_of(const Driver& driver, abi::DeviceNumber device) {
    const auto attribute = [&](int which) {
        int value = 0;
        const abi::Result result = driver.device_attribute(&value, which, device);
        if (result != abi::success)
            throw error_from(driver, result, "cuDeviceGetAttribute", "the device does not tell its limits");
        return static_cast<std::size_t>(std::max(value, 0));
    };
    Capabilities found;
    found.max_group = {attribute(abi::attribute_max_block_x), attribute(abi::attribute_max_block_y),
                       attribute(abi::attribute_max_block_z)};
    found.max_group_items = attribute(abi::attribute_max_threads);
    found.local_memory_bytes =
        std::max(attribute(abi::attribute_shared_memory), attribute(abi::attribute_shared_memory_optin));
    std::size_t memory = 0;
    const abi::Result result = driver.device_memory(&memory, device);
    if (result != abi::success)
        throw error_from(driver, result, "cuDeviceTotalMem", "the device does not tell its memory");
    found.max_allocation_bytes = memory;
    found.max_argument_bytes = 4096; // more only with some drivers and devices
    found.f64 = true;
    found.vector_width = 4;
    found.preferred_group = 256;
    found.device_class = "gpu";
    return found;
}

} // namespace

Device::Device(std::shared_ptr<const Driver> driver, std::shared_ptr<const Nvrtc> compiler,
               std::shared_ptr<Libraries> libraries, abi::DeviceNumber number, int capability, std::string identity)
    : compiler_(std::move(compiler)), target_(target_for(*compiler_, capability).value()),
      identity_(std::move(identity)), context_(std::make_shared<Context>(std::move(driver), number)),
      vendor_(std::make_shared<Vendor>(context_, std::move(libraries))) {
    context_->enter();
    capabilities_ = capabilities_of(context_->driver(), number);
    identity_ += ", " + target_.name() + ", " + cuda::identity(*compiler_);
}

std::shared_ptr<backend::Memory> Device::allocate(std::size_t bytes) {
    return std::make_shared<Memory>(context_, bytes);
}

std::unique_ptr<backend::Queue> Device::create_queue() { return std::make_unique<Queue>(context_, vendor_); }
std::shared_ptr<backend::Memory> Device::part(const std::shared_ptr<backend::Memory>& whole, std::size_t offset,
                                              std::size_t) {
    return std::make_shared<Memory>(context_, std::static_pointer_cast<Memory>(whole), offset);
}

bool Device::reaches(backend::Device& other) {
    context_->meet(*static_cast<Device&>(other).context_);
    return true;
}

std::shared_ptr<backend::Program> Device::build(const backend::ProgramSource& source) {
    return build_program(context_, *compiler_, target_, source);
}

std::shared_ptr<backend::Program> Device::load_program(std::span<const std::byte> binary) {
    return cuda::load_program(context_, target_, binary);
}

backend::VendorSupport Device::supports(const backend::MatmulDescription& description) {
    context_->enter();
    return vendor_->supports(description);
}

backend::VendorSupport Device::supports(const backend::ConvolutionDescription& description) {
    context_->enter();
    return vendor_->supports(description);
}

std::optional<backend::NativeHandle> Device::native_device() const {
    return static_cast<backend::NativeHandle>(context_->device());
}

std::optional<backend::NativeHandle> Device::native_context() const {
    return reinterpret_cast<backend::NativeHandle>(context_->handle());
}

std::unique_ptr<backend::Queue> Device::import_queue(backend::NativeHandle stream) {
    return std::make_unique<Queue>(context_, vendor_, reinterpret_cast<abi::Stream>(stream));
}

std::shared_ptr<backend::Event> Device::import_event(backend::NativeHandle event) {
    return std::make_shared<Event>(context_, reinterpret_cast<abi::Event>(event));
}

std::shared_ptr<backend::Memory> Device::import_memory(backend::NativeHandle address, std::size_t&) {
    return std::make_shared<Memory>(Memory::Foreign(), context_, address);
}

} // namespace devq::cuda
