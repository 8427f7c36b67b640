#include "compiler.hpp"
#include "frontend/frontend.hpp"
#include <array>
#include <cstring>
#include <devq/error.hpp>

namespace devq::cuda {

namespace {

/// Our kernels and the users' are OpenCL C 1.2. a*b+c may be fused; nothing else is relaxed.
constexpr std::array<const char*, 2> language_options{"--std=c++17", "--fmad=true"};

[[noreturn]] void fail(const Nvrtc& compiler, abi::CompilerResult result, const char* call) {
    const char* words = compiler.error_string(result);
    throw Error(
        result == abi::compiler_out_of_memory ? ErrorCode::out_of_memory : ErrorCode::unavailable, {},
        "the compiler of kernels fails: " + std::string(words != nullptr ? words : "no reason given"),
        "Install NVRTC again as a whole (libnvrtc-builtins lies beside it), or let DEVQ_NVRTC name another one.", call,
        result);
}

struct Program {
    const Nvrtc& compiler;
    abi::CompilerProgram handle = nullptr;

    explicit Program(const Nvrtc& with) : compiler(with) {}
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        if (handle != nullptr)
            compiler.destroy(&handle);
    }
    void check(abi::CompilerResult result, const char* call) const {
        if (result != abi::compiler_success)
            fail(compiler, result, call);
    }
    std::string log() const {
        std::size_t size = 0;
        if (compiler.log_size(handle, &size) != abi::compiler_success || size < 2)
            return {};
        std::string text(size, '\0');
        if (compiler.log(handle, text.data()) != abi::compiler_success)
            return {};
        text.resize(std::strlen(text.c_str()));
        return text;
    }
};

} // namespace

Compiled compile(const Nvrtc& compiler, const Target& target, const backend::ProgramSource& source) {
    Program program(compiler);
    const char* name = source.file_name.empty() ? "kernel.cl" : source.file_name.c_str();
    program.check(compiler.create(&program.handle, source.text.c_str(), name, 0, nullptr, nullptr),
                  "nvrtcCreateProgram");
    const std::string architecture = "--gpu-architecture=" + target.name();
    std::array<const char*, language_options.size() + 1> options{architecture.c_str()};
    for (std::size_t i = 0; i < language_options.size(); ++i)
        options[i + 1] = language_options[i];
    const abi::CompilerResult result =
        compiler.compile(program.handle, static_cast<int>(options.size()), options.data());
    if (result == abi::compiler_compilation)
        throw Error(ErrorCode::build_failed, {},
                    source.file_name + " does not compile:\n" + frontend::explain_compiler_log(program.log()),
                    "Correct the lines that the log names.", "nvrtcCompileProgram", result);
    program.check(result, "nvrtcCompileProgram");

    Compiled compiled{target, {}, program.log()};
    std::size_t size = 0;
    if (target.machine_code) {
        program.check(compiler.cubin_size(program.handle, &size), "nvrtcGetCUBINSize");
        compiled.image.resize(size);
        program.check(compiler.cubin(program.handle, reinterpret_cast<char*>(compiled.image.data())), "nvrtcGetCUBIN");
    } else {
        program.check(compiler.ptx_size(program.handle, &size), "nvrtcGetPTXSize");
        compiled.image.resize(size);
        program.check(compiler.ptx(program.handle, reinterpret_cast<char*>(compiled.image.data())), "nvrtcGetPTX");
    }
    if (compiled.image.empty())
        fail(compiler, abi::compiler_builtins_failed, target.machine_code ? "nvrtcGetCUBIN" : "nvrtcGetPTX");
    return compiled;
}

std::string identity(const Nvrtc& compiler) {
    std::string text = "nvrtc " + std::to_string(compiler.major) + '.' + std::to_string(compiler.minor);
    for (const char* option : language_options)
        text += ' ' + std::string(option);
    return text;
}

} // namespace devq::cuda
