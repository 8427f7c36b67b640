#pragma once
/// Kernels compiled by the host compiler for a user, or ahead of time for devq itself.

#include "host_compiler.hpp"
#include "kernel.hpp"
#include <memory>
#include <string>

namespace devq::cpu {

class Program final : public backend::Program {
public:
    /// `code` keeps the table loaded; null for tables of this module.
    Program(const devq_host_kernel_table& table, std::shared_ptr<const SharedCode> code);
    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override;
    const std::string& log() const override { return log_; }

private:
    const devq_host_kernel_table& table_;
    std::shared_ptr<const SharedCode> code_;
    std::string log_;
};

/// Compiles and loads text that frontend::write() made for the host. Throws build_failed.
std::shared_ptr<Program> build_program(const HostCompiler& compiler, const std::string& text);

} // namespace devq::cpu
