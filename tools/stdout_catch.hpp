#pragma once
/// Catches what the process writes to stdout, which is where drivers put what kernels print.

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace devq::tools {

class StdoutCatch {
public:
    StdoutCatch() : file_(::memfd_create("devq-printf", MFD_CLOEXEC)) {
        std::fflush(stdout);
        before_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (file_ >= 0 && before_ >= 0)
            ::dup2(file_, STDOUT_FILENO);
    }
    ~StdoutCatch() {
        release();
        if (file_ >= 0)
            ::close(file_);
    }
    StdoutCatch(const StdoutCatch&) = delete;
    StdoutCatch& operator=(const StdoutCatch&) = delete;

    /// What has been written; stdout is as before from here on.
    std::string text() {
        release();
        std::array<char, 256> bytes{};
        const ssize_t size = file_ >= 0 ? ::pread(file_, bytes.data(), bytes.size(), 0) : 0;
        if (file_ >= 0)
            ::close(file_);
        file_ = -1;
        return {bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
    }

private:
    void release() noexcept {
        if (before_ < 0)
            return;
        std::fflush(stdout);
        ::dup2(before_, STDOUT_FILENO);
        ::close(before_);
        before_ = -1;
    }
    int file_, before_ = -1;
};

} // namespace devq::tools
