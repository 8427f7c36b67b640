#pragma once
/// Runs a program and keeps what it says.

#include <chrono>
#include <string>
#include <vector>

namespace devq::cpu {

struct ChildResult {
    enum class End { exited, killed_by_signal, out_of_time, unknown };
    End end = End::unknown; ///< unknown: someone else in this process has collected the child
    int code = 0;           ///< exit status or signal
    std::string output;     ///< stdout and stderr, the first 256 KiB
};

/// Runs arguments[0] (a path) with no shell and no input. Past `limit` it is killed together with its own children.
/// Throws build_failed when it cannot be started.
ChildResult run_child(const std::vector<std::string>& arguments, std::chrono::milliseconds limit);

} // namespace devq::cpu
