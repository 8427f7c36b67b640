#pragma once
/// What stderr says when a driver ends the process: which case it was in must be known.

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>
#include <unistd.h>

namespace devq::tools {

/// One at a time. While it lives, a crash prints the text of the last set().
class CrashNote {
public:
    CrashNote() {
        for (const int signal : signals)
            std::signal(signal, say);
    }
    ~CrashNote() {
        for (const int signal : signals)
            std::signal(signal, SIG_DFL);
    }
    CrashNote(const CrashNote&) = delete;
    CrashNote& operator=(const CrashNote&) = delete;

    static void set(const std::string& text) {
        const std::size_t size = std::min(text.size(), sizeof text_ - 1);
        std::memcpy(text_, text.data(), size);
        text_[size] = '\n';
        size_ = size + 1;
    }

private:
    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static void say(int signal) {
        (void)!write(STDERR_FILENO, text_, size_); // all that is safe here
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    static inline char text_[1024];
    static inline std::size_t size_ = 0;
};

} // namespace devq::tools
