#pragma once
/// Compiles C++ text to a shared library with the compiler that the machine has: no shell, a private folder, a time
/// limit.

#include "isa.hpp"
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace devq::cpu {

/// A loaded shared library; its file is gone already, its content is kept.
class SharedCode {
public:
    SharedCode(void* handle, std::vector<std::byte> content, std::string log)
        : handle_(handle), content_(std::move(content)), log_(std::move(log)) {}
    ~SharedCode();
    SharedCode(const SharedCode&) = delete;
    SharedCode& operator=(const SharedCode&) = delete;
    void* symbol(const char* name) const noexcept;
    const std::vector<std::byte>& content() const noexcept { return content_; }
    const std::string& log() const noexcept { return log_; } ///< warnings

private:
    void* handle_;
    std::vector<std::byte> content_;
    std::string log_;
};

struct HostCompiler {
    std::string program; ///< a full path
    std::vector<std::string> flags;
    std::chrono::milliseconds limit{std::chrono::minutes(5)};
};

/// DEVQ_COMPILE_LIMIT, in seconds, else five minutes. Throws build_failed where it is no number above 0.
std::chrono::milliseconds compile_limit();

/// DEVQ_CXX (a name or a path), else c++, g++ or clang++ on the PATH. Throws build_failed, naming both remedies.
std::string find_host_compiler();

/// What code for kernels of this level is compiled with.
std::vector<std::string> kernel_flags(const Isa& isa);

/// Throws build_failed with the compiler's own words.
std::shared_ptr<SharedCode> compile(const HostCompiler& compiler, const std::string& text);

/// Loads what content() gave. Throws build_failed.
std::shared_ptr<SharedCode> load_code(std::vector<std::byte> content);

} // namespace devq::cpu
