#pragma once
// Where generated kernels are run: each side in a process of its own, since some drivers end the process.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace devq::generated {

struct Side {
    std::string name;
    std::string device;                             ///< a selector
    std::map<std::string, std::string> environment; ///< of the process
    bool splits = false;                            ///< no kernel goes on fibers unless it is asked to
};

/// A run of kernels: number first to first + count, of one program. Number k has the seed seed + k.
struct Batch {
    std::uint32_t seed = 0, first = 0, count = 0;
};
constexpr std::uint32_t kernels_a_program = 25;

/// What became of kernels on a side: "KERNEL SHAPE" (on fibers, where a side splits, "KERNEL SHAPE fibers") and a hash
/// of what it wrote, or what went wrong.
using Results = std::map<std::string, std::string>;

/// The text of a batch: a program.
std::string program_text(const Batch& batch);

/// Starts a process for it; kernels of a batch that failed as a whole are run one by one.
Results results_of(const Side& side, const Batch& batch);

/// In that process: builds, runs and prints.
void run_side();

} // namespace devq::generated
