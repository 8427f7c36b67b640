#pragma once
#include "backend.hpp"
#include "context.hpp"

namespace devq::opencl {

class Device final : public backend::Device {
public:
    explicit Device(cl_device_id device);
    /// In a context that others have made; throws invalid_argument when the device is not in it.
    Device(cl_device_id device, cl_context context);

    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::opencl_c; }
    std::shared_ptr<backend::Memory> allocate(std::size_t bytes) override;
    std::unique_ptr<backend::Queue> create_queue() override;
    std::shared_ptr<backend::Program> build(const backend::ProgramSource& source) override;
    std::string build_identity() const override;
    std::shared_ptr<backend::Program> load_program(std::span<const std::byte> binary) override;
    backend::Examination examine() override;

    std::optional<backend::NativeHandle> native_device() const override { return to_native(context_->device()); }
    std::optional<backend::NativeHandle> native_context() const override { return to_native(context_->context()); }
    std::unique_ptr<backend::Queue> import_queue(backend::NativeHandle queue) override;
    std::shared_ptr<backend::Event> import_event(backend::NativeHandle event) override;
    std::shared_ptr<backend::Memory> import_memory(backend::NativeHandle memory, std::size_t& bytes) override;

    const std::shared_ptr<Context>& context() const noexcept { return context_; }

private:
    std::shared_ptr<Context> context_;
    Capabilities capabilities_;
};

} // namespace devq::opencl
