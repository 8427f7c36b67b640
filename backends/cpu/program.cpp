#include "program.hpp"

namespace devq::cpu {

Program::Program(const devq_host_kernel_table& table, std::shared_ptr<const SharedCode> code)
    : table_(table), code_(std::move(code)), log_(code_ ? code_->log() : std::string()) {}

std::shared_ptr<backend::Kernel> Program::kernel(const std::string& name) {
    for (unsigned i = 0; i < table_.count; ++i)
        if (name == table_.kernels[i].name)
            return std::make_shared<Kernel>(table_.kernels[i], code_);
    throw Error(ErrorCode::invalid_argument, "", "the program has no kernel \"" + name + "\"",
                "Ask Program::kernel_names() for those that it has.");
}

std::shared_ptr<Program> build_program(const HostCompiler& compiler, const std::string& text) {
    std::shared_ptr<SharedCode> code = compile(compiler, text);
    const auto* table = static_cast<const devq_host_kernel_table*>(code->symbol("devq_host_kernels"));
    if (table == nullptr || table->abi_version != DEVQ_HOST_ABI_VERSION)
        throw Error(ErrorCode::build_failed, "", "the compiled kernel does not carry this version's table of kernels",
                    "Set DEVQ_CXX to a compiler that keeps exported symbols.");
    return std::make_shared<Program>(*table, std::move(code));
}

} // namespace devq::cpu
