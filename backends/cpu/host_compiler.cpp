#include "host_compiler.hpp"
#include "child_process.hpp"
#include "frontend/frontend.hpp"
#include "services.hpp"
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <devq/error.hpp>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>
#include <unistd.h>

namespace devq::cpu {

namespace {

namespace fs = std::filesystem;
using detail::ChildResult;

constexpr const char* both_remedies =
    "Install a C++ compiler (on Debian: apt install g++) or set DEVQ_CXX to one; or use a device that compiles kernels "
    "itself, such as an OpenCL device (devq list shows them).";

bool runnable(const fs::path& file) {
    std::error_code ignored;
    return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

/// `name` as a path, or found on the PATH; empty when it is nowhere.
std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return runnable(name) ? name : std::string();
    const char* path = std::getenv("PATH");
    std::string rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        const std::string folder = rest.substr(0, colon);
        rest = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
        // An empty or relative entry means the current folder, which is no place to take a compiler from.
        if (folder.starts_with('/') && runnable(fs::path(folder) / name))
            return fs::path(folder) / name;
    }
    return {};
}

void write_file(const std::string& file, const void* data, std::size_t bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    out.close();
    if (!out)
        throw Error(ErrorCode::build_failed, "", "cannot write " + file, "See whether the disk is full.");
}

std::vector<std::byte> read_file(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

bool contains_any(const std::string& text, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return text.find(word) != std::string::npos; });
}

/// Did the compiler fail by a fault of its own, rather than refuse the text?
bool broke_down(const ChildResult& result) {
    const bool by_fault = result.end == ChildResult::End::killed_by_signal && result.code != SIGKILL &&
                          result.code != SIGTERM && result.code != SIGINT;
    return by_fault || (result.end == ChildResult::End::exited && result.code != 0 &&
                        contains_any(result.output, {"internal compiler error", "PLEASE submit a bug report"}));
}

std::string advice_of(const std::string& output) {
    if (contains_any(output, {"No space left on device", "Disk quota exceeded"}))
        return "Free some space in the folder for temporary files, or set TMPDIR to another one.";
    if (contains_any(output, {"Killed signal", "out of memory", "memory exhausted", "Cannot allocate memory"}))
        return "Memory is short: end other programs, or make the kernel smaller.";
    if (contains_any(output, {"internal compiler error", "PLEASE submit a bug report"}))
        return "This is a fault of the compiler: write the kernel a little differently, or set DEVQ_CXX to another "
               "compiler.";
    return contains_any(output, {": error:", ": fatal error:"}) ? "Correct the lines named above."
                                                                : "Set DEVQ_CXX to a C++ compiler that works.";
}

[[noreturn]] void failed(const HostCompiler& compiler, const ChildResult& result, const std::string& out) {
    std::string problem;
    std::string advice = advice_of(result.output);
    switch (result.end) {
    case ChildResult::End::out_of_time:
        problem = compiler.program + " did not finish within " +
                  std::to_string(compiler.limit.count() / 1000.0).substr(0, 5) + " s and was stopped";
        advice =
            "Make the kernel smaller, allow more seconds by DEVQ_COMPILE_LIMIT, or set DEVQ_CXX to another compiler.";
        break;
    case ChildResult::End::killed_by_signal:
        problem = compiler.program + " was ended by signal " + std::to_string(result.code) + " (" +
                  strsignal(result.code) + ")";
        advice = "Memory may be short; otherwise set DEVQ_CXX to another compiler.";
        break;
    case ChildResult::End::exited:
        problem = compiler.program + (result.code != 0 ? " failed with exit code " + std::to_string(result.code)
                                                       : " reported success but wrote no " + out);
        if (result.code == 0)
            advice = "Set DEVQ_CXX to a C++ compiler that works.";
        break;
    case ChildResult::End::unknown:
        problem = compiler.program + " wrote no " + out;
        break;
    }
    if (!result.output.empty())
        problem += ":\n" + frontend::explain_compiler_log(result.output);
    throw Error(ErrorCode::build_failed, "", problem, advice, compiler.program, result.code);
}

} // namespace

SharedCode::~SharedCode() { dlclose(handle_); }
void* SharedCode::symbol(const char* name) const noexcept { return dlsym(handle_, name); }

std::string find_host_compiler() {
    if (const char* named = std::getenv("DEVQ_CXX"); named && *named) {
        std::string program = find_program(named);
        if (program.empty())
            throw Error(ErrorCode::build_failed, "",
                        std::string("DEVQ_CXX names \"") + named + "\", which is no program that can be run",
                        both_remedies);
        return program;
    }
    for (const char* name : {"c++", "g++", "clang++"})
        if (std::string program = find_program(name); !program.empty())
            return program;
    throw Error(ErrorCode::build_failed, "",
                "the cpu device needs a C++ compiler for kernels that are not devq's own, and none of c++, g++, "
                "clang++ is on the PATH",
                both_remedies);
}

std::chrono::milliseconds compile_limit() {
    const char* text = std::getenv("DEVQ_COMPILE_LIMIT");
    if (text == nullptr || *text == '\0')
        return HostCompiler().limit;
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    constexpr double most = 1e6;
    if (*end != '\0' || !(seconds > 0) || seconds > most)
        throw Error(ErrorCode::build_failed, "",
                    std::string("DEVQ_COMPILE_LIMIT=\"") + text + "\" is no number of seconds",
                    "Set it to a number above 0, such as 60, or unset it.");
    return std::chrono::milliseconds(static_cast<long long>(std::max(1.0, seconds * 1000)));
}

std::vector<std::string> kernel_flags(const Isa& isa) {
    std::vector<std::string> flags{"-std=c++17",
                                   "-O3",
                                   "-fPIC",
                                   "-shared",
                                   "-fvisibility=hidden",
                                   "-fno-exceptions",
                                   "-fno-rtti",
                                   "-fno-asynchronous-unwind-tables",
                                   "-ffp-contract=fast",
                                   "-fno-math-errno",
                                   "-fno-trapping-math",
                                   "-fno-strict-aliasing",
                                   "-Wno-psabi"};
#if defined(__x86_64__)
    flags.push_back(isa.highest && !isa.forced ? "-march=native" : "-march=x86-64-v" + std::to_string(isa.level));
    if (isa.level >= 4)
        flags.push_back("-mprefer-vector-width=512");
#else
    (void)isa;
#endif
    return flags;
}

namespace {

/// Its temporary files lie in the folder, to go with it. Where devq-guard is installed, the compiler and its children
/// end with this process, however that ends.
ChildResult run_compiler(const std::vector<std::string>& arguments, std::chrono::milliseconds limit,
                         const std::string& folder) {
    const std::vector<std::pair<std::string, std::string>> variables{{"TMPDIR", folder}};
    std::string ignored;
    if (const fs::path guard = detail::helper_program("devq-guard", ignored); !guard.empty()) {
        std::vector<std::string> guarded{guard.string(), std::to_string(getpid())};
        guarded.insert(guarded.end(), arguments.begin(), arguments.end());
        try {
            return detail::run_child(guarded, limit, variables);
        } catch (const Error&) { // it cannot be run: the compiler perhaps can
        }
    }
    try {
        return detail::run_child(arguments, limit, variables);
    } catch (const Error& error) {
        throw Error(ErrorCode::build_failed, "", std::string("the host compiler: ") + error.what(),
                    "Set DEVQ_CXX to a C++ compiler that runs, or use a device that compiles kernels itself.",
                    error.native_call(), error.native_code());
    }
}

/// Has `make(folder, library)` write a shared library to a private folder, and loads it. A folder may forbid execution
/// (noexec): then the next one is tried.
template <class Make>
std::shared_ptr<SharedCode> load_from_private_folder(Make make) {
    std::string why;
    for (const fs::path& parent : detail::temporary_parents()) {
        const auto folder = detail::PrivateFolder::in(parent, why);
        if (!folder)
            continue;
        const std::string library = folder->path() / "kernel.so";
        std::string log = make(folder->path(), library);
        std::vector<std::byte> content = read_file(library);
        if (void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL))
            return std::make_shared<SharedCode>(handle, std::move(content), std::move(log));
        why += std::string(dlerror()) + "; ";
    }
    throw Error(ErrorCode::build_failed, "", "the compiled kernel cannot be loaded: " + why.substr(0, why.size() - 2),
                "Set TMPDIR to a folder that you can write to and that is not mounted noexec.");
}

} // namespace

namespace {

/// Is it clang, by whatever name? Asked once a process of each program.
bool is_clang(const HostCompiler& compiler, const std::string& folder) {
    static std::mutex mutex;
    static std::map<std::string, bool> known;
    const std::lock_guard lock(mutex);
    const auto found = known.find(compiler.program);
    if (found != known.end())
        return found->second;
    constexpr std::chrono::milliseconds most{10000};
    try {
        const ChildResult said = run_compiler({compiler.program, "-dM", "-E", "-x", "c++", "/dev/null"},
                                              std::min(most, compiler.limit), folder);
        if (said.end == ChildResult::End::out_of_time)
            return false;
        return known[compiler.program] = said.output.find("#define __clang__ ") != std::string::npos;
    } catch (const Error&) { // it cannot be run, as compiling will say
        return false;
    }
}

/// Loops over items are declared free of dependences from one item to another. clang 14 and 16 then also move an item's
/// stores to neighbouring elements past a load of the same item, where they make one vector of them: they must not.
constexpr std::array<const char*, 2> for_clang{"-mllvm", "-enable-interleaved-mem-accesses=false"};

/// @param more a flag, or none
std::vector<std::string> command_of(const HostCompiler& compiler, const std::string& more, const std::string& source,
                                    const std::string& library) {
    std::vector<std::string> arguments{compiler.program};
    arguments.insert(arguments.end(), compiler.flags.begin(), compiler.flags.end());
    if (!more.empty())
        arguments.push_back(more);
    // Kernels use no C++ library; the mathematical functions and the compiler's own helpers may be wanted.
    for (const std::string& argument : {std::string("-nodefaultlibs"), std::string("-o"), library, source,
                                        std::string("-lm"), std::string("-lgcc"), std::string("-lc")})
        arguments.push_back(argument);
    return arguments;
}

/// The compiler's words where it wrote the library.
std::string compiled(const HostCompiler& compiler, const std::string& source, const std::string& library) {
    // g++ 12's PRE moves a part of a vector of equal components before what it is made of, and a later pass crashes.
    constexpr std::array<const char*, 3> attempts{"", "-fno-tree-pre", "-O1"};
    std::string log;
    for (const char* const slower : attempts) {
        ChildResult result = run_compiler(command_of(compiler, slower, source, library), compiler.limit,
                                          fs::path(library).parent_path());
        if (broke_down(result) && slower != attempts.back())
            continue;
        const bool good =
            result.end == ChildResult::End::unknown || (result.end == ChildResult::End::exited && result.code == 0);
        if (!good || access(library.c_str(), R_OK) != 0)
            failed(compiler, result, "shared library");
        log = std::move(result.output);
        if (*slower != '\0')
            log += compiler.program + " crashed, and was run again with " + slower + "\n";
        break;
    }
    return log;
}

} // namespace

std::shared_ptr<SharedCode> compile(const HostCompiler& compiler, const std::string& text) {
    return load_from_private_folder([&](const fs::path& folder, const std::string& library) {
        const std::string source = folder / "kernel.cpp";
        write_file(source, text.data(), text.size());
        HostCompiler as_told = compiler;
        if (text.starts_with(frontend::no_contraction))
            as_told.flags.emplace_back("-ffp-contract=off");
        if (is_clang(compiler, folder))
            as_told.flags.insert(as_told.flags.end(), for_clang.begin(), for_clang.end());
        return compiled(as_told, source, library);
    });
}

std::shared_ptr<SharedCode> load_code(std::vector<std::byte> content) {
    return load_from_private_folder([&](const fs::path&, const std::string& library) {
        write_file(library, content.data(), content.size());
        return std::string();
    });
}

} // namespace devq::cpu
