#pragma once
#include "frontend/frontend.hpp"
#include "frontend/host_abi.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace devq::frontend::test {

/// What parse() throws for `source`, empty where it takes it.
std::string error_of(std::string_view source, const Options& options = {});

/// The text after the host prelude: what became of the program itself.
std::string program_text(std::string_view source, const Options& options = {});

/// `text` without blanks, so that tests do not depend on them.
std::string dense(std::string_view text);

/// The C++ compiler that `c++` names, empty where there is none.
const std::string& host_compiler();

/// DEVQ_TEST_SEED, to repeat a run, else a fresh one.
std::uint32_t test_seed();

using Size = std::array<std::uint64_t, 3>;

/// A kernel's argument: a buffer, a value, or bytes of local memory.
struct Argument {
    void* address = nullptr;
    std::size_t local_bytes = 0;

    template <class T>
    static Argument of(std::vector<T>& buffer) {
        return {buffer.data(), 0};
    }
    template <class T>
    static Argument value(T& value) {
        return {&value, 0};
    }
    static Argument local(std::size_t bytes) { return {nullptr, bytes}; }
};

/// A program compiled for this machine, which runs kernels without the cpu backend: work-items that wait for one
/// another are threads.
class HostProgram {
public:
    /// @param flags for the compiler, such as "-O3 -march=x86-64-v3"
    HostProgram(std::string_view source, bool single_item_groups, const std::string& flags,
                const Options& options = {});
    ~HostProgram();
    HostProgram(const HostProgram&) = delete;
    HostProgram& operator=(const HostProgram&) = delete;

    const devq_host_kernel& kernel(const std::string& name) const;
    const devq_host_kernel_table& table() const { return *table_; }
    const std::string& log() const { return log_; }
    /// @param items_apart each work-item on a thread of its own, also where the kernel is split at its barriers
    void run(const std::string& name, const std::vector<Argument>& arguments, Size global, Size local = {1, 1, 1},
             Size offset = {0, 0, 0}, bool items_apart = false) const;

    /// What the last run printed, where items ran one after the other.
    mutable std::string printed;

private:
    void* handle_ = nullptr;
    const devq_host_kernel_table* table_ = nullptr;
    std::string log_;
};

/// Runs a command line and answers its exit status and what it printed.
std::pair<int, std::string> run_command(const std::string& command);

} // namespace devq::frontend::test
