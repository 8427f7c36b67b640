#pragma once
#include "backend.hpp"
#include "context.hpp"

namespace devq::opencl {

/// What every driver is given with a program's text. Our kernels and the users' are OpenCL C 1.2. a*b+c may be fused;
/// nothing else is relaxed.
inline constexpr const char* language_options = "-cl-std=CL1.2 -cl-mad-enable";
/// The text that a driver is given: the source with its macros in front. Throws invalid_argument for a macro that
/// OpenCL C cannot have.
std::string driver_text(const backend::ProgramSource& source);

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
