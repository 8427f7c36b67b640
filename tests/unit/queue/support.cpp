#include "support.hpp"
#include <cstdio>
#include <cstdlib>
#include <spawn.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace support {

Stderr::Stderr() : saved_(::dup(2)), file_(::memfd_create("stderr", 0)) {
    std::fflush(stderr);
    if (saved_ < 0 || file_ < 0 || ::dup2(file_, 2) < 0)
        throw std::runtime_error("standard error cannot be taken over");
}

Stderr::~Stderr() { restore(); }

void Stderr::restore() {
    if (saved_ < 0)
        return;
    std::fflush(stderr);
    ::dup2(saved_, 2);
    ::close(saved_);
    saved_ = -1;
}

std::string Stderr::text() {
    restore();
    std::string all;
    char part[512];
    for (off_t at = 0;;) {
        const ssize_t got = ::pread(file_, part, sizeof part, at);
        if (got <= 0)
            break;
        all.append(part, static_cast<std::size_t>(got));
        at += got;
    }
    ::close(file_);
    return all;
}

int run_case_alone(const std::string& name) {
    std::string filter = "--test-case=" + name, program = "/proc/self/exe", no_skip = "--no-skip=true";
    char* arguments[] = {program.data(), filter.data(), no_skip.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
        throw std::runtime_error("no process could be started");
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace support

#ifdef DEVQ_THREAD_SANITIZER
/// libstdc++.so itself is not instrumented, so the sanitizer cannot see the reference counts that let threads share an
/// exception and its text: it takes the last owner's delete for a race with the others' reading.
extern "C" const char* __tsan_default_suppressions() {
    return "race:std::runtime_error::~runtime_error\n"
           "race:std::__exception_ptr::exception_ptr::_M_release\n"
           // Reads an Error that never changes; who frees it last is counted in libstdc++, which is not instrumented.
           "race:devq::Error::named\n";
}
#endif
