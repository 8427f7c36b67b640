#pragma once
#include "backend.hpp"
#include "context.hpp"

namespace devq::opencl {

class Program final : public backend::Program {
public:
    Program(std::shared_ptr<Context> context, cl::Program program);
    ~Program() override;

    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override;
    const std::string& log() const override { return log_; }
    std::vector<std::byte> binary() override;

private:
    std::shared_ptr<Context> context_;
    cl::Program program_;
    std::string log_;
};

std::shared_ptr<Program> build_program(const std::shared_ptr<Context>& context, const backend::ProgramSource& source);
/// Null when the driver does not take the bytes.
std::shared_ptr<Program> load_program(const std::shared_ptr<Context>& context, std::span<const std::byte> binary);

} // namespace devq::opencl
