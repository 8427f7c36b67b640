#pragma once
/// Keeps stdout for a document: what else the process writes there meanwhile, such as what kernels print, goes to
/// stderr, or to another open file.

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace devq::tools {

class StdoutAside {
public:
    explicit StdoutAside(int to = STDERR_FILENO) {
        static_cast<void>(std::fflush(stdout));
        before_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (before_ >= 0 && to >= 0)
            ::dup2(to, STDOUT_FILENO);
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
