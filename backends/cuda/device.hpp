#pragma once
#include "backend.hpp"
#include "context.hpp"
#include "nvrtc.hpp"
#include "vendor.hpp"

namespace devq::cuda {

class Device final : public backend::Device {
public:
    /// `capability`: 75 for 7.5.
    Device(std::shared_ptr<const Driver> driver, std::shared_ptr<const Nvrtc> compiler,
           std::shared_ptr<Libraries> libraries, abi::DeviceNumber number, int capability, std::string identity);

    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::cuda_cpp; }
    std::shared_ptr<backend::Memory> allocate(std::size_t bytes) override;
    bool has_parts() const override { return true; }
    std::shared_ptr<backend::Memory> part(const std::shared_ptr<backend::Memory>& whole, std::size_t offset,
                                          std::size_t bytes) override;
    bool reaches(backend::Device& other) override;
    bool fails_as_a_whole() const override { return true; }
    std::unique_ptr<backend::Queue> create_queue() override;
    std::shared_ptr<backend::Program> build(const backend::ProgramSource& source) override;
    std::string build_identity() const override { return identity_; }
    std::shared_ptr<backend::Program> load_program(std::span<const std::byte> binary) override;
    backend::VendorSupport supports(const backend::MatmulDescription& description) override;
    backend::VendorSupport supports(const backend::ConvolutionDescription& description) override;
    backend::Examination examine() override;
    std::optional<backend::NativeHandle> native_device() const override;
    std::optional<backend::NativeHandle> native_context() const override;
    std::unique_ptr<backend::Queue> import_queue(backend::NativeHandle stream) override;
    std::shared_ptr<backend::Event> import_event(backend::NativeHandle event) override;
    std::shared_ptr<backend::Memory> import_memory(backend::NativeHandle address, std::size_t& bytes) override;

private:
    std::shared_ptr<const Nvrtc> compiler_;
    Target target_;
    std::string identity_;
    std::shared_ptr<Context> context_;
    std::shared_ptr<Vendor> vendor_;
    Capabilities capabilities_;
};

} // namespace devq::cuda
