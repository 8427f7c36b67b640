#pragma once
/// Keeps stdout for a document: what else the process writes there meanwhile, such as what kernels print, goes to
/// stderr.

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace devq::tools {

class StdoutAside {
public:
    StdoutAside() {
        static_cast<void>(std::fflush(stdout));
        before_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (before_ >= 0)
            ::dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    ~StdoutAside() {
        if (before_ < 0)
            return;
        static_cast<void>(std::fflush(stdout));
        ::dup2(before_, STDOUT_FILENO);
        ::close(before_);
    }
    StdoutAside(const StdoutAside&) = delete;
    StdoutAside& operator=(const StdoutAside&) = delete;

private:
    int before_ = -1;
};

} // namespace devq::tools
