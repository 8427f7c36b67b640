#pragma once
/// Looking at a test's own standard error, and running a test case in a process of its own.

#include <string>

#if defined(__SANITIZE_THREAD__)
#define DEVQ_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEVQ_THREAD_SANITIZER
#endif
#endif

namespace support {

#ifdef DEVQ_THREAD_SANITIZER
inline constexpr bool thread_sanitizer = true; ///< which ends a forked child that starts a thread
#else
inline constexpr bool thread_sanitizer = false;
#endif

/// Takes over file descriptor 2 until text() or the end.
class Stderr {
public:
    Stderr();
    ~Stderr();
    Stderr(const Stderr&) = delete;
    Stderr& operator=(const Stderr&) = delete;
    std::string text(); ///< all that was written; gives the descriptor back

private:
    void restore();
    int saved_ = -1, file_ = -1;
};

/// Runs the skipped test case `name` of this program in a new process; its exit status, or 128 + its signal.
int run_case_alone(const std::string& name);

} // namespace support
