#include "host_compiler.hpp"
#include "child.hpp"
#include <cstdlib>
#include <cstring>
#include <devq/error.hpp>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace devq::cpu {

namespace {

namespace fs = std::filesystem;

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
        // An empty entry means the current folder, which is no place to take a compiler from.
        if (!folder.empty() && runnable(fs::path(folder) / name))
            return fs::path(folder) / name;
    }
    return {};
}

/// A folder that only this user can look into; gone with all it holds when the object goes.
class PrivateFolder {
public:
    explicit PrivateFolder(const std::string& parent) {
        std::string name = (fs::path(parent) / "devq-XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) // makes it 0700
            path_ = name;
    }
    ~PrivateFolder() {
        std::error_code ignored;
        if (!path_.empty())
            fs::remove_all(path_, ignored);
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    bool made() const noexcept { return !path_.empty(); }
    std::string file(const char* name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

std::vector<std::string> temporary_parents() {
    std::vector<std::string> parents;
    for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"})
        if (const char* value = std::getenv(variable); value && *value == '/')
            parents.emplace_back(value);
    parents.emplace_back("/tmp");
    return parents;
}

[[noreturn]] void failed(const HostCompiler& compiler, const ChildResult& result, const std::string& out) {
    std::string problem;
    std::string advice = "Correct the lines named above.";
    switch (result.end) {
    case ChildResult::End::out_of_time:
        problem = compiler.program + " did not finish within " + std::to_string(compiler.limit.count() / 1000.0).substr(0, 5) +
                  " s and was stopped";
        advice = "Make the kernel smaller, or set DEVQ_CXX to another compiler.";
        break;
    case ChildResult::End::killed_by_signal:
        problem = compiler.program + " was ended by signal " + std::to_string(result.code) + " (" +
                  strsignal(result.code) + ")";
        advice = "Memory may be short; otherwise set DEVQ_CXX to another compiler.";
        break;
    case ChildResult::End::exited:
        problem = compiler.program + (result.code != 0 ? " failed with exit code " + std::to_string(result.code)
                                                       : " reported success but wrote no " + out);
        if (result.output.empty())
            advice = "Set DEVQ_CXX to a C++ compiler that works.";
        break;
    case ChildResult::End::unknown: problem = compiler.program + " wrote no " + out; break;
    }
    if (!result.output.empty())
        problem += ":\n" + result.output;
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
    throw Error(ErrorCode::build_failed, "", "the cpu device needs a C++ compiler for kernels that are not devq's own, and none of c++, g++, clang++ is on the PATH",
                both_remedies);
}

std::vector<std::string> kernel_flags(const Isa& isa) {
    std::vector<std::string> flags{"-std=c++17",       "-O3",
                                   "-fPIC",            "-shared",
                                   "-fvisibility=hidden",
                                   "-fno-exceptions",  "-fno-rtti",
                                   "-fno-asynchronous-unwind-tables",
                                   "-ffp-contract=fast", "-fno-math-errno",
                                   "-fno-trapping-math", "-fno-strict-aliasing",
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

std::shared_ptr<SharedCode> compile(const HostCompiler& compiler, const std::string& text) {
    std::string why = "no temporary folder can be made";
    for (const std::string& parent : temporary_parents()) {
        const PrivateFolder folder(parent);
        if (!folder.made()) {
            why += "; " + parent + ": " + std::strerror(errno);
            continue;
        }
        const std::string source = folder.file("kernel.cpp"), library = folder.file("kernel.so");
        std::ofstream out(source, std::ios::binary);
        out << text;
        out.close();
        if (!out) {
            why += "; " + parent + ": cannot write " + source;
            continue;
        }
        std::vector<std::string> arguments{compiler.program};
        arguments.insert(arguments.end(), compiler.flags.begin(), compiler.flags.end());
        // Kernels use no C++ library; the mathematical functions and the compiler's own helpers may be wanted.
        for (const char* argument : {"-nodefaultlibs", "-o"})
            arguments.emplace_back(argument);
        arguments.push_back(library);
        arguments.push_back(source);
        for (const char* argument : {"-lm", "-lgcc", "-lc"})
            arguments.emplace_back(argument);
        const ChildResult result = run_child(arguments, compiler.limit);
        const bool good = result.end == ChildResult::End::unknown ||
                          (result.end == ChildResult::End::exited && result.code == 0);
        if (!good || access(library.c_str(), R_OK) != 0)
            failed(compiler, result, "shared library");
        if (void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL))
            return std::make_shared<SharedCode>(handle, result.output);
        why += std::string("; ") + dlerror(); // the folder may forbid execution (noexec): the next one may not
    }
    throw Error(ErrorCode::build_failed, "", "the compiled kernel cannot be loaded: " + why,
                "Set TMPDIR to a folder that you can write to and that is not mounted noexec.");
}

} // namespace devq::cpu
