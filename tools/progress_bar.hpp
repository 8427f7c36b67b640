#pragma once
/// One line on stderr that is drawn over itself; nothing where stderr is no terminal.

#include "output.hpp"
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace devq::tools {

class ProgressBar {
public:
    explicit ProgressBar(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0 && total > 0) {}
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void step(std::size_t done, std::size_t failed, std::string_view name) {
        const auto now = std::chrono::steady_clock::now();
        if (!shown_ || (now - drawn_ < std::chrono::milliseconds(50) && done < total_))
            return;
        drawn_ = now;
        constexpr std::size_t width = 24;
        const std::size_t filled = width * done / total_;
        std::string bar;
        for (std::size_t i = 0; i < width; ++i)
            bar += i < filled ? "█" : "░";
        const std::string counts =
            fmt::format(" {}/{}{} ", done, total_, failed > 0 ? fmt::format(", {} failed", failed) : "");
        draw('\r' + bar + counts + fitted(name, page_width - 1 - width - counts.size()));
    }
    void clear() noexcept {
        if (shown_)
            draw('\r' + std::string(page_width - 1, ' ') + '\r');
    }

private:
    static void draw(const std::string& text) noexcept {
        static_cast<void>(std::fputs(text.c_str(), stderr));
        static_cast<void>(std::fflush(stderr));
    }

    std::size_t total_;
    bool shown_;
    std::chrono::steady_clock::time_point drawn_{};
};

} // namespace devq::tools
