#include "child_process.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <devq/error.hpp>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace devq::detail {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kept_output = 256 << 10;

class Descriptor {
public:
    explicit Descriptor(int fd) noexcept : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const noexcept { return fd_; }
    void close() noexcept {
        if (fd_ >= 0)
            ::close(fd_);
        fd_ = -1;
    }

private:
    int fd_;
};

/// What posix_spawn is told; given back whatever happens.
struct SpawnSettings {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    SpawnSettings() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
};

[[noreturn]] void cannot_start(const std::string& program, const char* call, int code) {
    throw Error(ErrorCode::unavailable, "", "cannot run " + program + ": " + std::strerror(code),
                "See that the file exists and may be executed.", call, code);
}

/// True when one of `own` ("NAME=VALUE") sets the variable of `entry`.
bool is_set_in(const std::vector<std::string>& own, std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(own.begin(), own.end(), [&](const std::string& set) { return set.starts_with(name); });
}

/// Collects the output until it ends; false when time is up first.
bool read_output(int fd, Clock::time_point deadline, std::string& output) {
    std::array<char, 4096> part;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
            return false;
        pollfd wanted{fd, POLLIN, 0};
        const int ready = poll(&wanted, 1, static_cast<int>(std::min<long long>(left, 1'000'000)));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            continue;
        const ssize_t got = read(fd, part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        output.append(part.data(),
                      std::min(static_cast<std::size_t>(got), kept_output - std::min(kept_output, output.size())));
    }
}

} // namespace

ChildResult run_child(const std::vector<std::string>& arguments, std::chrono::milliseconds limit,
                      const std::vector<std::pair<std::string, std::string>>& variables) {
    const Clock::time_point deadline = Clock::now() + limit;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        cannot_start(arguments[0], "pipe2", errno);
    Descriptor from(ends[0]), to(ends[1]);

    std::vector<char*> argv;
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    // Messages in English: they end up in logs that others read.
    std::vector<std::string> own{"LC_ALL=C"};
    for (const auto& [name, value] : variables)
        own.push_back(name + '=' + value);
    std::vector<char*> environment;
    for (std::string& entry : own)
        environment.push_back(entry.data());
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (!is_set_in(own, *entry))
            environment.push_back(*entry);
    environment.push_back(nullptr);

    SpawnSettings settings;
    posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&settings.actions, to.get(), 1);
    posix_spawn_file_actions_adddup2(&settings.actions, to.get(), 2);
    // A group of its own, to be killed as a whole; no signal blocked or ignored that the caller blocks or ignores.
    sigset_t none, ordinary;
    sigemptyset(&none);
    sigemptyset(&ordinary);
    for (int signal : {SIGPIPE, SIGTERM, SIGINT, SIGCHLD})
        sigaddset(&ordinary, signal);
    posix_spawnattr_setpgroup(&settings.attributes, 0);
    posix_spawnattr_setsigmask(&settings.attributes, &none);
    posix_spawnattr_setsigdefault(&settings.attributes, &ordinary);
    posix_spawnattr_setflags(&settings.attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int code =
        posix_spawn(&child, argv[0], &settings.actions, &settings.attributes, argv.data(), environment.data());
    if (code != 0)
        cannot_start(arguments[0], "posix_spawn", code);
    to.close();

    ChildResult result;
    bool in_time = read_output(from.get(), deadline, result.output);
    int status = 0;
    for (auto pause = std::chrono::microseconds(50);; pause = std::min(2 * pause, std::chrono::microseconds(20'000))) {
        if (!in_time)
            kill(-child, SIGKILL);
        const pid_t ended = waitpid(child, &status, in_time ? WNOHANG : 0);
        if (ended == child)
            break;
        if (ended < 0 && errno == ECHILD) { // the application collects every child, or ignores SIGCHLD
            result.end = in_time ? ChildResult::End::unknown : ChildResult::End::out_of_time;
            return result;
        }
        in_time = in_time && Clock::now() < deadline;
        std::this_thread::sleep_for(pause);
    }
    result.end = !in_time              ? ChildResult::End::out_of_time
                 : WIFEXITED(status)   ? ChildResult::End::exited
                 : WIFSIGNALED(status) ? ChildResult::End::killed_by_signal
                                       : ChildResult::End::unknown;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return result;
}

} // namespace devq::detail
