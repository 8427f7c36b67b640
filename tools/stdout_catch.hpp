#pragma once
/// Catches what the process writes to stdout, which is where drivers put what kernels print.

#include "stdout_aside.hpp"
#include <array>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace devq::tools {

class StdoutCatch {
public:
    StdoutCatch() : file_(::memfd_create("devq-printf", MFD_CLOEXEC)), aside_(std::in_place, file_) {}
    ~StdoutCatch() {
        aside_.reset();
        if (file_ >= 0)
            ::close(file_);
    }
    StdoutCatch(const StdoutCatch&) = delete;
    StdoutCatch& operator=(const StdoutCatch&) = delete;

    /// What has been written; stdout is as before from here on.
    std::string text() {
        aside_.reset();
        std::array<char, 256> bytes{};
        const ssize_t size = file_ >= 0 ? ::pread(file_, bytes.data(), bytes.size(), 0) : 0;
        if (file_ >= 0)
            ::close(file_);
        file_ = -1;
        return {bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
    }

private:
    int file_;
    std::optional<StdoutAside> aside_;
};

} // namespace devq::tools
