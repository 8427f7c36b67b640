#include "program.hpp"
#include "environment.hpp"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace devq::cpu {

namespace {

std::uint64_t checksum(std::span<const std::byte> bytes) {
    std::uint64_t sum = 0xcbf29ce484222325u; // FNV-1a
    for (const std::byte byte : bytes)
        sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
    return sum;
}

/// What a compiled kernel depends on. Code for "the very machine" (-march=native) runs on processors like this one
/// only.
std::string target_of(const std::vector<std::string>& flags) {
    std::string target = "abi=" + std::to_string(DEVQ_HOST_ABI_VERSION);
    for (const std::string& flag : flags)
        target += ' ' + flag;
    if (std::find(flags.begin(), flags.end(), "-march=native") != flags.end()) {
        std::ifstream in("/proc/cpuinfo");
        for (std::string line; std::getline(in, line) && !line.empty();) // the first processor's lines
            for (const char* name : {"model", "flags", "cpu family"})
                if (line.rfind(name, 0) == 0)
                    target += ' ' + line;
    }
    return target;
}

std::string header_of(const std::string& target, std::span<const std::byte> content) {
    return "devq-cpu-1 " + std::to_string(content.size()) + ' ' + std::to_string(checksum(content)) + ' ' + target +
           '\n';
}

const devq_host_kernel_table& table_of(const SharedCode& code) {
    const auto* table = static_cast<const devq_host_kernel_table*>(code.symbol("devq_host_kernels"));
    if (table == nullptr || table->abi_version != DEVQ_HOST_ABI_VERSION)
        throw Error(ErrorCode::build_failed, "", "the compiled kernel does not carry this version's table of kernels",
                    "Set DEVQ_CXX to a compiler that keeps exported symbols.");
    return *table;
}

/// The compiler's words, and which kernels cannot run as fast as they might.
std::string log_of(const devq_host_kernel_table& table, const SharedCode* code) {
    std::string log = code != nullptr ? code->log() : std::string();
    for (unsigned i = 0; i < table.count; ++i)
        if (table.kernels[i].fiber_reason != nullptr)
            log += std::string("kernel \"") + table.kernels[i].name +
                   "\": each work-item runs on a fiber of its own, which is slow, because of " +
                   table.kernels[i].fiber_reason + "\n";
    return log;
}

} // namespace

Program::Program(const devq_host_kernel_table& table, std::shared_ptr<const SharedCode> code, std::string target)
    : table_(table), code_(std::move(code)), costs_(new LaunchCosts[table.count]), log_(log_of(table, code_.get())),
      target_(std::move(target)) {}

std::shared_ptr<backend::Kernel> Program::kernel(const std::string& name) {
    for (unsigned i = 0; i < table_.count; ++i)
        if (name == table_.kernels[i].name)
            return std::make_shared<Kernel>(table_.kernels[i], code_, std::shared_ptr<LaunchCosts>(costs_, &costs_[i]),
                                            detail::flag("DEVQ_CPU_FIBERS", false));
    throw Error(ErrorCode::invalid_argument, "", "the program has no kernel \"" + name + "\"",
                "Ask Program::kernel_names() for those that it has.");
}

std::vector<std::byte> Program::binary() {
    if (!code_)
        return {}; // of this module: nothing to keep
    const std::string header = header_of(target_, code_->content());
    std::vector<std::byte> bytes(header.size() + code_->content().size());
    std::memcpy(bytes.data(), header.data(), header.size());
    std::copy(code_->content().begin(), code_->content().end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(header.size()));
    return bytes;
}

std::string identity_of(const HostCompiler& compiler) {
    struct stat status {};
    if (stat(compiler.program.c_str(), &status) != 0)
        return {};
    return target_of(compiler.flags) + ' ' + compiler.program + ' ' + std::to_string(status.st_ino) + ' ' +
           std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec);
}

std::shared_ptr<Program> build_program(const HostCompiler& compiler, const std::string& text) {
    std::shared_ptr<SharedCode> code = compile(compiler, text);
    const devq_host_kernel_table& table = table_of(*code);
    return std::make_shared<Program>(table, std::move(code), target_of(compiler.flags));
}

std::shared_ptr<Program> load_program(const std::vector<std::string>& flags, std::span<const std::byte> binary) {
    const auto end = std::find(binary.begin(), binary.end(), std::byte{'\n'});
    if (end == binary.end())
        return nullptr;
    const auto length = static_cast<std::size_t>(end - binary.begin()) + 1;
    const std::string header(reinterpret_cast<const char*>(binary.data()), length);
    const std::span content = binary.subspan(length);
    const std::string target = target_of(flags);
    if (header != header_of(target, content))
        return nullptr;
    std::shared_ptr<SharedCode> code = load_code({content.begin(), content.end()});
    const devq_host_kernel_table& table = table_of(*code);
    return std::make_shared<Program>(table, std::move(code), target);
}

} // namespace devq::cpu
