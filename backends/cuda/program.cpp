#include "program.hpp"
#include "kernel.hpp"
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace devq::cuda {

namespace {

/// What stands before a binary: its target, and what tells whole bytes from damaged ones.
std::string header_for(const Target& target, std::span<const std::byte> image) {
    std::uint64_t sum = 0xcbf29ce484222325u; // FNV-1a
    for (const std::byte byte : image)
        sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    return "devq-cuda-1 " + target.name() + ' ' + std::to_string(image.size()) + ' ' + std::to_string(sum) + '\n';
}

/// Versions, where they are what is wrong; else nothing.
std::string mismatch(const Driver& driver, abi::Result result, const std::string& maker) {
    if (result != abi::unsupported_ptx_version && result != abi::no_binary_for_gpu)
        return {};
    int version = 0;
    const bool told = driver.driver_version(&version) == abi::success && version > 0;
    return "the driver" + (told ? ", for CUDA " + version_text(version) + "," : std::string()) + " does not take " +
           (result == abi::unsupported_ptx_version ? "the PTX" : "code") + " of " + maker;
}

} // namespace

LoadedModule::LoadedModule(std::shared_ptr<Context> context, std::span<const std::byte> image, const std::string& maker)
    : context_(std::move(context)) {
    context_->enter();
    std::string log(8192, '\0');
    int options[] = {abi::jit_error_log, abi::jit_error_log_bytes};
    // The driver takes the size in place of a pointer.
    void* values[] = {log.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(log.size() - 1))};
    const abi::Result result = context_->driver().module_load(&handle_, image.data(), 2, options, values);
    if (result == abi::success)
        return;
    log.resize(std::strlen(log.c_str()));
    std::string problem = mismatch(context_->driver(), result, maker);
    if (!is_sticky(result) && !log.empty())
        problem = (problem.empty() ? "the driver refuses the compiled kernel" : problem) + ":\n" + log;
    context_->fail(result, "cuModuleLoadDataEx", problem);
}

LoadedModule::~LoadedModule() {
    if (context_->try_enter())
        context_->note(context_->driver().module_unload(handle_), "cuModuleUnload");
}

std::shared_ptr<backend::Kernel> Program::kernel(const std::string& name) {
    module_->context().enter();
    return std::make_shared<Kernel>(module_, name);
}

std::vector<std::byte> Program::binary() {
    const std::string header = header_for(compiled_.target, compiled_.image);
    std::vector<std::byte> bytes(header.size() + compiled_.image.size());
    std::memcpy(bytes.data(), header.data(), header.size());
    std::copy(compiled_.image.begin(), compiled_.image.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(header.size()));
    return bytes;
}

std::shared_ptr<Program> build_program(const std::shared_ptr<Context>& context, const Nvrtc& compiler,
                                       const Target& target, const backend::ProgramSource& source) {
    Compiled compiled = compile(compiler, target, source);
    auto module = std::make_shared<LoadedModule>(context, compiled.image,
                                                 "NVRTC " + std::to_string(compiler.major) + '.' +
                                                     std::to_string(compiler.minor) + " for " + target.name());
    return std::make_shared<Program>(std::move(module), std::move(compiled));
}

std::shared_ptr<Program> load_program(const std::shared_ptr<Context>& context, const Target& target,
                                      std::span<const std::byte> binary) {
    const auto end = std::find(binary.begin(), binary.end(), std::byte{'\n'});
    if (end == binary.end())
        return nullptr;
    const auto length = static_cast<std::size_t>(end - binary.begin()) + 1;
    const auto image = binary.subspan(length);
    if (std::string(reinterpret_cast<const char*>(binary.data()), length) != header_for(target, image))
        return nullptr;
    Compiled compiled{target, {image.begin(), image.end()}, {}};
    try {
        auto module = std::make_shared<LoadedModule>(context, compiled.image, "an earlier NVRTC");
        return std::make_shared<Program>(std::move(module), std::move(compiled));
    } catch (const Error& error) {
        if (error.code() == ErrorCode::device_lost || error.code() == ErrorCode::out_of_memory)
            throw;
        return nullptr;
    }
}

} // namespace devq::cuda
