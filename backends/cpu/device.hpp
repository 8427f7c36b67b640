#pragma once
/// The machine's processors as one device.

#include "backend.hpp"
#include "isa.hpp"
#include "memory.hpp"
#include "program.hpp"
#include "thread_pool.hpp"
#include <memory>
#include <string>

namespace devq::cpu {

/// Processors that this process may run on.
unsigned usable_processors() noexcept;

class Device final : public backend::Device {
public:
    explicit Device(const Isa& isa);
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::host_cpp; }
    std::shared_ptr<backend::Memory> allocate(std::size_t bytes) override;
    bool has_parts() const override { return true; }
    std::shared_ptr<backend::Memory> part(const std::shared_ptr<backend::Memory>& whole, std::size_t offset,
                                          std::size_t) override {
        return std::make_shared<MemoryPart>(whole, offset);
    }
    std::unique_ptr<backend::Queue> create_queue() override;
    std::shared_ptr<backend::Program> build(const backend::ProgramSource& source) override;
    std::string build_identity() const override;
    std::shared_ptr<backend::Program> load_program(std::span<const std::byte> binary) override;
    std::shared_ptr<backend::Program> builtin(const backend::BuiltinVariant& variant) override;
    backend::Examination examine() override;

private:
    HostCompiler compiler() const; ///< throws build_failed where there is none

    Isa isa_;
    Capabilities capabilities_;
    std::shared_ptr<MemoryAccount> account_;
    std::shared_ptr<ThreadPool> pool_;
};

} // namespace devq::cpu
