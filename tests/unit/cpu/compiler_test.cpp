#include "child_process.hpp"
#include "frontend/frontend.hpp"
#include "host_compiler.hpp"
#include "program.hpp"
#include "services.hpp"
#include "support.hpp"
#include <chrono>
#include <csignal>
#include <devq/error.hpp>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace devq;
using namespace devq::test;
namespace fs = std::filesystem;

namespace {

std::string stand_in(const char* name) { return source_folder() + "/tests/unit/cpu/compilers/" + name; }

/// An empty folder of this test's own.
struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "devq-test-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

/// A unit as the front end writes them, by hand.
std::string unit(const std::string& body) {
    std::ifstream abi(source_folder() + "/runtime/frontend/host_abi.h");
    std::string text, line;
    while (std::getline(abi, line))
        if (line.rfind("#pragma once", 0) != 0)
            text += line + "\n";
    return text + "#line 1 \"user.cl\"\nstatic void body(float* out, float x) {\n" + body +
           "\n}\n"
           "static void run(const devq_host_dispatch* d, devq_u64 first, devq_u64 last) {\n"
           "  for (devq_u64 g = first; g < last; ++g) body((float*)d->arguments[0] + g, *(const "
           "float*)d->arguments[1]);\n"
           "}\n"
           "static const devq_host_kernel kernels[] = {{\"fill_in\", 2, 0, 0, {0, 0, 0}, run, 0}};\n"
           "extern \"C\" __attribute__((visibility(\"default\"))) const devq_host_kernel_table devq_host_kernels;\n"
           "const devq_host_kernel_table devq_host_kernels = {DEVQ_HOST_ABI_VERSION, 1, kernels};\n";
}

cpu::HostCompiler real_compiler() { return {cpu::find_host_compiler(), cpu::kernel_flags(cpu::current_isa().isa)}; }

Error error_of(const cpu::HostCompiler& compiler, const std::string& text) {
    try {
        cpu::compile(compiler, text);
    } catch (const Error& error) {
        return error;
    }
    FAIL("compiled");
    return Error(ErrorCode::unsupported, "", "", "");
}

bool contains(const Error& error, const char* text) {
    return std::string(error.what()).find(text) != std::string::npos;
}

} // namespace

TEST_CASE("a unit is compiled, loaded and run, and leaves no file behind") {
    const Folder temporary;
    const Setting runtime_folder("XDG_RUNTIME_DIR", nullptr), folder("TMPDIR", temporary.path.c_str());
    const auto program = cpu::build_program(real_compiler(), unit("*out = x * 2;"));
    CHECK(fs::is_empty(temporary.path));
    const Bench bench;
    const auto queue = bench.queue();
    const auto out = bench.memory(4000);
    const float x = 1.5f;
    queue->launch(program->kernel("fill_in"), range(1000), {{buffer(out), value(x)}});
    queue->wait();
    bool good = true;
    for (int i = 0; i < 1000; ++i)
        good = good && data<float>(out)[i] == 3.0f;
    CHECK(good);
    CHECK_THROWS_AS(program->kernel("absent"), Error);
}

TEST_CASE("a text that forbids to fuse products and sums is compiled so") {
    const char* const body = "*out = x * x + out[0];"; // one rounding or two
    const Bench bench;
    const auto value_of = [&](const std::string& text) {
        const auto queue = bench.queue();
        const auto program = cpu::build_program(real_compiler(), text);
        const auto out = bench.memory(4);
        const float x = 1.0f + 0x1p-12f;
        *data<float>(out) = -1.0f - 0x1p-11f;
        queue->launch(program->kernel("fill_in"), range(1), {{buffer(out), value(x)}});
        queue->wait();
        return *data<float>(out);
    };
    CHECK(value_of(std::string(frontend::no_contraction) + unit(body)) == 0.0f);
    if (cpu::current_isa().isa.level >= 3)
        CHECK(value_of(unit(body)) == 0x1p-24f);
}

TEST_CASE("what does not compile brings the compiler's words and the user's line, and leaves no file behind") {
    const Folder temporary;
    const Setting runtime_folder("XDG_RUNTIME_DIR", nullptr), folder("TMPDIR", temporary.path.c_str());
    const Error error = error_of(real_compiler(), unit("*out = x\n + nonsense;"));
    CHECK(error.code() == ErrorCode::build_failed);
    CHECK(contains(error, "user.cl:3:"));
    CHECK(contains(error, "nonsense"));
    CHECK(fs::is_empty(temporary.path));
}

TEST_CASE("warnings are kept as the log") {
    const auto program = cpu::build_program(real_compiler(), unit("#warning look here\n*out = x;"));
    CHECK(program->log().find("look here") != std::string::npos);
}

TEST_CASE("compilers that fail in every way") {
    const auto with = [](const char* name) { return cpu::HostCompiler{stand_in(name), {"-O3"}}; };
    SUBCASE("exit code and message") {
        const Error error = error_of(with("failing.sh"), "text");
        CHECK(error.code() == ErrorCode::build_failed);
        CHECK(error.native_code() == 3);
        CHECK(contains(error, "words on stdout"));
        CHECK(contains(error, "words on stderr"));
    }
    SUBCASE("success without a result") {
        const Error error = error_of(with("idle.sh"), "text");
        CHECK(error.code() == ErrorCode::build_failed);
        CHECK(contains(error, "wrote no"));
    }
    SUBCASE("a result that is no library") {
        const Error error = error_of(with("garbage.sh"), "text");
        CHECK(error.code() == ErrorCode::build_failed);
        CHECK(contains(error, "cannot be loaded"));
    }
    SUBCASE("killed") {
        const Error error = error_of(with("killed.sh"), "text");
        CHECK(error.code() == ErrorCode::build_failed);
        CHECK(contains(error, "signal 9"));
    }
    SUBCASE("no program at all") {
        const Error error = error_of({"/nonexistent/c++", {}}, "text");
        CHECK(error.code() == ErrorCode::build_failed);
        CHECK(contains(error, "/nonexistent/c++"));
        CHECK(contains(error, "DEVQ_CXX"));
    }
}

TEST_CASE("what to do is said of a compiler's own failure") {
    const auto advice = [](const char* words) {
        const Setting said("DEVQ_TEST_WORDS", words);
        return error_of({stand_in("saying.sh"), {}}, "text").advice();
    };
    CHECK(advice("user.cl:3:1: error: what is this") == "Correct the lines named above.");
    CHECK(advice("user.cl:8:6: internal compiler error: Segmentation fault").find("a fault of the compiler") !=
          std::string::npos);
    CHECK(advice("c++: fatal error: Killed signal terminated program cc1plus").find("Memory is short") == 0);
    CHECK(advice("fatal error: error writing to /x/y.s: No space left on device").find("Free some space") == 0);
    CHECK(advice("c++: something else") == "Set DEVQ_CXX to a C++ compiler that works.");
}

TEST_CASE("a compiler that crashes is run again with less to do") {
    cpu::HostCompiler compiler = real_compiler();
    compiler.program = stand_in("crashing.sh");
    for (const char* flag : {"-fno-tree-pre", "-O1"}) {
        const Setting works("DEVQ_TEST_WORDS", flag);
        const auto program = cpu::build_program(compiler, unit("*out = x;"));
        CHECK(program->kernel("fill_in") != nullptr);
        CHECK(program->log().find(std::string("crashed, and was run again with ") + flag) != std::string::npos);
    }
    const Setting never("DEVQ_TEST_WORDS", "never");
    CHECK(contains(error_of(compiler, unit("*out = x;")), "internal compiler error"));
}

TEST_CASE("how long the compiler may take is a setting") {
    const Setting none("DEVQ_COMPILE_LIMIT", nullptr);
    CHECK(cpu::compile_limit() == std::chrono::minutes(5));
    const Setting some("DEVQ_COMPILE_LIMIT", "1.5");
    CHECK(cpu::compile_limit() == std::chrono::milliseconds(1500));
    for (const char* wrong : {"0", "-1", "1x", "nan", "1e9"}) {
        const Setting set("DEVQ_COMPILE_LIMIT", wrong);
        CHECK_THROWS_AS(cpu::compile_limit(), Error);
    }
}

/// Is it there, and no zombie?
static bool runs(int process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, state;
    return kill(process, 0) == 0 && status >> number >> name >> state && state != "Z";
}

TEST_CASE("child: waits for a compiler that hangs" * doctest::skip()) {
    cpu::compile({stand_in("hanging.sh"), {}}, "text");
}

TEST_CASE("a compiler and its children end with the process that is killed, and its folder with the next one") {
    std::string searched;
    REQUIRE_MESSAGE(!detail::helper_program("devq-guard", searched).empty(), searched);
    const Folder temporary, marks;
    const fs::path mark = marks.path / "child";
    const Setting named("DEVQ_TEST_MARK", mark.c_str()), runtime_folder("XDG_RUNTIME_DIR", nullptr),
        folder("TMPDIR", temporary.path.c_str());
    const std::string self = fs::read_symlink("/proc/self/exe");
    const pid_t waiting = fork();
    if (waiting == 0) {
        execl(self.c_str(), self.c_str(), "--no-skip", "-tc=child: waits for a compiler*", nullptr);
        _exit(127);
    }
    int compiling = 0;
    for (int i = 0; i < 3000 && !(std::ifstream(mark) >> compiling); ++i)
        usleep(10'000);
    REQUIRE(compiling > 1);
    CHECK(runs(compiling));
    CHECK_FALSE(fs::is_empty(temporary.path));
    {
        std::string why; // the process is there: its folder stays
        const auto other = detail::PrivateFolder::in(temporary.path / ".", why);
        CHECK(other != nullptr);
    }
    CHECK_FALSE(fs::is_empty(temporary.path));
    kill(waiting, SIGKILL);
    waitpid(waiting, nullptr, 0);
    for (int i = 0; i < 1000 && runs(compiling); ++i)
        usleep(10'000);
    CHECK_FALSE(runs(compiling));
    std::string why;
    detail::PrivateFolder::in(temporary.path, why).reset();
    CHECK(fs::is_empty(temporary.path));
}

TEST_CASE("temporary files go where TMPDIR says, as messages advise, and else to the user's own folder") {
    const Setting runtime_folder("XDG_RUNTIME_DIR", "/run/user/1"), folder("TMPDIR", "/large");
    CHECK(detail::temporary_parents() == std::vector<fs::path>{"/large", "/run/user/1", "/tmp"});
    const Setting relative("TMPDIR", "large");
    CHECK(detail::temporary_parents() == std::vector<fs::path>{"/run/user/1", "/tmp"});
}

TEST_CASE("folders that are left behind are removed, and nothing else") {
    const Folder temporary, outside;
    const auto make = [&](const char* name, bool lock) {
        const fs::path path = temporary.path / name;
        fs::create_directory(path);
        fs::permissions(path, fs::perms::owner_all);
        std::ofstream(path / "kernel.cpp") << "text";
        if (lock)
            std::ofstream(path / ".lock") << "";
        return path;
    };
    std::ofstream(outside.path / "kept") << "text";
    std::ofstream(outside.path / ".lock") << "";
    fs::permissions(outside.path, fs::perms::owner_all);
    const fs::path stale = make("devq-abcDEF", true), used = make("devq-locked", true),
                   unlike = make("devq-abcDEFG", true), unlocked = make("devq-nolock", false),
                   shared = make("devq-shared", true);
    fs::permissions(shared, fs::perms::group_read, fs::perm_options::add);
    fs::create_symlink(outside.path / "kept", stale / "link");
    fs::create_symlink(outside.path, temporary.path / "devq-linked");
    const int lock = open((used / ".lock").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(flock(lock, LOCK_EX | LOCK_NB) == 0);
    std::string why;
    const auto mine = detail::PrivateFolder::in(temporary.path, why);
    REQUIRE_MESSAGE(mine != nullptr, why);
    CHECK_FALSE(fs::exists(stale));
    CHECK(fs::exists(outside.path / "kept"));
    for (const fs::path& kept : {used, unlike, unlocked, shared})
        CHECK_MESSAGE(fs::exists(kept / "kernel.cpp"), kept.string());
    close(lock);
}

TEST_CASE("a compiler that hangs is stopped, with its children") {
    const Folder temporary;
    const Setting mark("DEVQ_TEST_MARK", (temporary.path / "child").c_str());
    cpu::HostCompiler compiler{stand_in("hanging.sh"), {}};
    compiler.limit = std::chrono::milliseconds(500);
    const auto start = std::chrono::steady_clock::now();
    const Error error = error_of(compiler, "text");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK(error.code() == ErrorCode::build_failed);
    CHECK(contains(error, "did not finish within 0.5"));
    int child = 0;
    std::ifstream(temporary.path / "child") >> child;
    REQUIRE(child > 1);
    for (int i = 0; i < 200 && kill(child, 0) == 0; ++i) { // it may stay a zombie for a moment
        std::ifstream status("/proc/" + std::to_string(child) + "/stat");
        std::string number, name, state;
        if (!(status >> number >> name >> state) || state == "Z")
            break;
        usleep(10'000);
        REQUIRE(i < 199);
    }
}

TEST_CASE("floods of output do not block the compiler, and are cut") {
    const Error error = error_of({stand_in("noisy.sh"), {}}, "text");
    CHECK(error.code() == ErrorCode::build_failed);
    CHECK(std::string(error.what()).size() > 200'000);
    CHECK(std::string(error.what()).size() < 300'000);
}

TEST_CASE("where the compiler comes from") {
    const Folder folder;
    {
        const Setting named("DEVQ_CXX", stand_in("failing.sh").c_str());
        CHECK(cpu::find_host_compiler() == stand_in("failing.sh"));
    }
    {
        const Setting named("DEVQ_CXX", "no-such-compiler");
        try {
            cpu::find_host_compiler();
            FAIL("found");
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::build_failed);
            CHECK(contains(error, "no-such-compiler"));
        }
    }
    const Setting named("DEVQ_CXX", nullptr), path("PATH", folder.path.c_str());
    try {
        cpu::find_host_compiler();
        FAIL("found");
    } catch (const Error& error) { // both ways out
        CHECK(error.code() == ErrorCode::build_failed);
        CHECK(error.advice().find("Install a C++ compiler") != std::string::npos);
        CHECK(error.advice().find("use a device that compiles") != std::string::npos);
    }
    fs::create_symlink(stand_in("failing.sh"), folder.path / "g++");
    CHECK(cpu::find_host_compiler() == folder.path / "g++");
    std::ofstream(folder.path / "c++") << "not executable";
    CHECK(cpu::find_host_compiler() == folder.path / "g++");
}

TEST_CASE("a program's binary is taken back, unless anything about it is not as it was") {
    cpu::Device device(cpu::current_isa().isa);
    backend::ProgramSource source;
    source.text = unit("*out = x * 3;");
    std::vector<std::byte> binary = device.build(source)->binary();
    REQUIRE(binary.size() > 1000);
    const auto program = device.load_program(binary);
    REQUIRE(program != nullptr);
    const Bench bench;
    const auto queue = bench.queue();
    const auto out = bench.memory(4);
    const float x = 2;
    queue->launch(program->kernel("fill_in"), range(1), {{buffer(out), value(x)}});
    queue->wait();
    CHECK(*data<float>(out) == 6);

    cpu::Isa other;
    other.forced = true;
    other.level = cpu::current_isa().isa.level == 2 ? 3 : 2;
    CHECK(cpu::Device(other).load_program(binary) == nullptr); // not made with these flags
    for (const std::size_t at : {std::size_t{3}, std::size_t{40}, binary.size() / 2, binary.size() - 1}) {
        CAPTURE(at);
        binary[at] ^= std::byte{1};
        CHECK(device.load_program(binary) == nullptr);
        binary[at] ^= std::byte{1};
    }
    CHECK(device.load_program(std::span(binary).first(binary.size() - 1)) == nullptr);
    CHECK(device.load_program(std::span(binary).first(20)) == nullptr);
    CHECK(device.load_program({}) == nullptr);
    CHECK(device.load_program(binary) != nullptr);
}

TEST_CASE("programs built from several threads at once") {
    cpu::Device device(cpu::current_isa().isa);
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            backend::ProgramSource source;
            source.text = unit("*out = x + " + std::to_string(t % 2) + ";");
            good += device.build(source)->kernel("fill_in") != nullptr;
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(good == 4);
}

TEST_CASE("children of a process that collects none, or that ignores them") {
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    const auto program = cpu::build_program(real_compiler(), unit("*out = x - 1;"));
    CHECK(program->kernel("fill_in") != nullptr);
    std::signal(SIGCHLD, before);
}
