#pragma once
/// Kernels compiled by the host compiler for a user, or ahead of time for devq itself.

#include "host_compiler.hpp"
#include "kernel.hpp"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace devq::cpu {

class Program final : public backend::Program {
public:
    /// `code` keeps the table loaded; null for tables of this module. `target`: what the code was made for.
    Program(const devq_host_kernel_table& table, std::shared_ptr<const SharedCode> code, std::string target = {});
    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override;
    const std::string& log() const override { return log_; }
    std::vector<std::byte> binary() override;

private:
    const devq_host_kernel_table& table_;
    std::shared_ptr<const SharedCode> code_;
    std::shared_ptr<LaunchCosts[]> costs_; ///< one a kernel, for all launches of it
    std::string log_, target_;
};

/// Changes when the compiler, its flags or (where it compiles for this very machine) the processor does.
std::string identity_of(const HostCompiler& compiler);

/// Compiles and loads text that frontend::write() made for the host. Throws build_failed.
std::shared_ptr<Program> build_program(const HostCompiler& compiler, const std::string& text);

/// From binary(); null when it was made for another processor or by other flags, or is damaged.
std::shared_ptr<Program> load_program(const std::vector<std::string>& flags, std::span<const std::byte> binary);

} // namespace devq::cpu
