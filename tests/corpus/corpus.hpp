#pragma once
/// A kernel file of the corpus: OpenCL C with what is to be done in comments at a line's begin.
///
///     // define: NAME=VALUE            for the preprocessor
///     // only: cpu opencl: REASON      the backends that take it; the reason is a restriction of docs/kernels.md
///     // not on the stand-in: REASON    what tests/virtual_cuda cannot do, no restriction of devq
///     // needs: f64                    what a device must be able to do
///     // run: KERNEL global=64x4 [local=16x2]
///     // arg: FORM                     as `devq run --arg` takes it, in the kernel's order
///     // expect NAME [~TOLERANCE]: VALUES   what parameter NAME then holds, all of it; several lines add up
///     // prints: TEXT                  a line that the run prints, and no more than these lines
///
/// VALUES are numbers, `1*5` for five ones, `0..7` for whole numbers in a row. Without a tolerance they are exact;
/// with one, |a - b| may be TOLERANCE × max(1, |b|).

#include "tools/run_arguments.hpp"
#include <devq/devq.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace corpus {

struct Expectation {
    std::string parameter;
    double tolerance = 0;
    std::vector<std::string> values;
};

struct Run {
    std::string kernel;
    devq::Range range{1};
    std::vector<devq::tools::RunArgument> arguments;
    std::vector<Expectation> expectations;
    std::string prints;
};

struct File {
    std::filesystem::path path;
    devq::BuildOptions options;
    std::vector<std::string> only; ///< empty: every backend
    bool needs_f64 = false;
    bool on_standin = true;
    std::vector<Run> runs;
};

/// Every .cl file of a folder under tests/corpus, by name.
std::vector<std::filesystem::path> files_in(const std::string& folder);
/// Throws std::runtime_error naming file and line where a directive is not as said above.
File read(const std::filesystem::path& path);
std::string text_of(const std::filesystem::path& path);

/// Does the run; what is wrong with the result, a line each.
std::vector<std::string> faults(const devq::Device& device, const devq::Program& program, const Run& run);

} // namespace corpus
