#pragma once
#include "backend.hpp"
#include "compiler.hpp"
#include "context.hpp"

namespace devq::cuda {

/// A CUmodule: it lives as long as any of its kernels.
class LoadedModule {
public:
    /// `image`: machine code, or PTX with its final zero; `maker`: who made it, for messages. Throws; the driver's log
    /// is part of the message.
    LoadedModule(std::shared_ptr<Context> context, std::span<const std::byte> image, const std::string& maker);
    ~LoadedModule();
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;

    abi::Module handle() const noexcept { return handle_; }
    Context& context() const noexcept { return *context_; }

private:
    std::shared_ptr<Context> context_;
    abi::Module handle_ = nullptr;
};

class Program final : public backend::Program {
public:
    Program(std::shared_ptr<LoadedModule> module, Compiled compiled)
        : module_(std::move(module)), compiled_(std::move(compiled)) {}

    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override;
    const std::string& log() const override { return compiled_.log; }
    std::vector<std::byte> binary() override;

private:
    std::shared_ptr<LoadedModule> module_;
    Compiled compiled_;
};

std::shared_ptr<Program> build_program(const std::shared_ptr<Context>& context, const Nvrtc& compiler,
                                       const Target& target, const backend::ProgramSource& source);
/// From Program::binary(); null where the bytes are for another target or the driver does not take them.
std::shared_ptr<Program> load_program(const std::shared_ptr<Context>& context, const Target& target,
                                      std::span<const std::byte> binary);

} // namespace devq::cuda
