#pragma once
/// Runs a program and keeps what it says: a compiler, or a probe that may crash or hang.

#include <chrono>
#include <devq/api.hpp>
#include <string>
#include <utility>
#include <vector>

namespace devq::detail {

struct ChildResult {
    enum class End { exited, killed_by_signal, out_of_time, unknown };
    End end = End::unknown; ///< unknown: someone else in this process has collected the child
    int code = 0;           ///< exit status or signal
    std::string output;     ///< stdout and stderr, the first 256 KiB
};

/// Runs arguments[0] (a path) with no shell and no input, in English, with `variables` (name, value) set besides the
/// caller's own. Past `limit` it is killed together with its own children. Throws Error(unavailable) when it cannot be
/// started. Any thread.
DEVQ_API ChildResult run_child(const std::vector<std::string>& arguments, std::chrono::milliseconds limit,
                               const std::vector<std::pair<std::string, std::string>>& variables = {});

} // namespace devq::detail
