#pragma once
/// The conformance suite: one list of cases for every device of every backend. `devq test` and the program
/// conformance_tests both run it. To add an operation: a file NOUN_cases.cpp with one function, named in all_cases().

#include "run.hpp"
#include <cstdint>
#include <devq/device.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace devq::conformance {

struct Case {
    std::string op;    ///< "matmul", "add", "reduce_max"
    std::string dtype; ///< storage type of the result (argmax: of the input)
    std::string shape; ///< sizes, layouts, kind of values: "b4 m33 n65 k17 tn"
    std::function<void(Run&)> body;
    bool quick = false; ///< in the spread that --quick runs; set by all_cases()
    bool grad = false;  ///< of grad mode; set by all_grad_cases()

    std::string name() const { return op + " " + dtype + " " + shape; }
};

/// Every case, always in the same order; names are distinct.
const std::vector<Case>& all_cases();
/// Those of grad mode, see grad.hpp.
const std::vector<Case>& all_grad_cases();
/// What both lists do with their cases at last: marks the quick ones; throws where two have one name.
void finish_cases(std::vector<Case>& cases, bool grad);

struct Filter {
    std::string op = "*"; ///< globs
    std::string dtype = "*";
    std::string shape = "*";
    bool quick = false;
    bool grad = false; ///< among all_grad_cases()
};
std::vector<const Case*> select(const Filter& filter);

enum class Status { passed, failed, skipped };
std::string_view to_string(Status status) noexcept;

struct Result {
    const Case* test = nullptr;
    Status status = Status::passed;
    std::string path = "none", variant;
    double nmse = 0;
    std::optional<Worst> worst;
    std::string reason; ///< why it failed or was skipped
    double seconds = 0;
    bool device_gone = false;  ///< device_lost: no other case can run
    bool unsupported = false;  ///< the operation threw `unsupported`
    std::int64_t elements = 0; ///< of all its tensors
};

/// Runs one case from inputs drawn with a seed made of `seed` and the case's name. Never throws for what a device does.
Result run_case(const Queue& queue, const Case& test, std::uint64_t seed);

/// A case that a backend is known to get wrong, and why: counted as skipped. When such a case passes, the exception is
/// stale and the case counts as failed. Empty fields match everything; all are globs.
struct Exception {
    std::string backend, device_name, op, dtype, shape;
    std::string reason;
    bool crashes = false; ///< not even tried: it would end or hang the process
};
std::span<const Exception> known_exceptions();
/// The first that fits, or null.
const Exception* find_exception(std::span<const Exception> list, const DeviceInfo& device, const Case& test);
/// What the verdict on a case becomes when `exception` covers it.
Result excuse(Result result, const Exception& exception);
/// run_case under the exceptions of `list`.
Result run_case(const Queue& queue, const Case& test, std::uint64_t seed, std::span<const Exception> list);
/// Exceptions that name a case that there is not: a mistake in the list.
std::vector<std::string> exceptions_without_case(std::span<const Exception> list);

/// The shell command that repeats exactly this case.
std::string repeat_command(std::string_view device, std::uint64_t seed, const Case& test);

/// What the files NOUN_cases.cpp add.
void add_adam_cases(std::vector<Case>& cases);
void add_attention_cases(std::vector<Case>& cases);
void add_clip_cases(std::vector<Case>& cases);
void add_fill_cases(std::vector<Case>& cases);
void add_elementwise_cases(std::vector<Case>& cases);
void add_cast_cases(std::vector<Case>& cases);
void add_copy_cases(std::vector<Case>& cases);
void add_conv2d_cases(std::vector<Case>& cases);
void add_matmul_cases(std::vector<Case>& cases);
void add_preprocess_cases(std::vector<Case>& cases);
void add_random_cases(std::vector<Case>& cases);
void add_reduce_cases(std::vector<Case>& cases);
void add_softmax_cases(std::vector<Case>& cases);
void add_batch_norm_cases(std::vector<Case>& cases);
void add_cross_entropy_cases(std::vector<Case>& cases);
void add_mse_cases(std::vector<Case>& cases);
void add_optimizer_cases(std::vector<Case>& cases);
void add_gather_cases(std::vector<Case>& cases);
void add_scatter_cases(std::vector<Case>& cases);
void add_scan_cases(std::vector<Case>& cases);
void add_histogram_cases(std::vector<Case>& cases);
void add_sort_cases(std::vector<Case>& cases);

inline constexpr DType storage_types[] = {DType::f32, DType::f16, DType::bf16};

} // namespace devq::conformance
