#pragma once
/// What tests/gpu/run measures: the same rows by devq's kernels, through devq by the vendor's libraries, by these
/// libraries called directly, and (in the script) by PyTorch.

#include <chrono>
#include <cstdint>
#include <cstring>
#include <devq/devq.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace devq::bench {

enum class Kind { matmul, conv2d, conv2d_backward_data, conv2d_backward_filter, softmax, copy };

/// 16-bit images and filters lie as NHWC in memory, as the vendor's library wants them; f32 as NCHW.
struct Row {
    Kind kind = Kind::matmul;
    std::string op, shape; ///< op: the kind, or a name for what it is used as ("matvec", "copy_h2d")
    DType type = DType::f32;
    std::int64_t batch = 1, m = 1, n = 1, k = 1;                  ///< matmul; softmax: m rows of n
    std::int64_t images = 1, channels = 1, filters = 1, size = 1; ///< conv2d, 3 × 3, padded by 1
    std::int64_t bytes = 0;                                       ///< copy
    double flops() const;
};
/// `quick`: the same in sizes that a simulator manages.
std::vector<Row> rows(bool quick);

struct Result {
    std::string path;                        ///< what ran: portable, cublaslt, …
    std::optional<double> ms_min, ms_median; ///< of one call
    std::optional<double> sum;               ///< Σ|element| of the first of the result's: all sides must agree
    std::string error;
};

/// `count` numbers in [-1, 1), exact in each type.
std::vector<std::byte> numbers(DType type, std::int64_t count, unsigned seed);
/// Of what was computed.
double absolute_sum(DType type, const std::vector<std::byte>& values);
inline constexpr std::int64_t summed = 4096; ///< elements of a result that are looked at

/// Calls of `queue_it` back to back, then one `wait`: per call. `seconds` 0: one call.
void measure(Result& into, double seconds, const std::function<void()>& queue_it, const std::function<void()>& wait);

/// Through devq. Throws nothing: see Result::error.
Result run_devq(const Queue& queue, const Row& row, ops::Path path, double seconds);

/// The libraries themselves, on the device that CUDA counts as `number`.
class Direct {
public:
    explicit Direct(int number); ///< throws std::runtime_error where there is no driver
    ~Direct();
    Direct(const Direct&) = delete;
    Direct& operator=(const Direct&) = delete;
    Result run(const Row& row, double seconds);
    /// Name, and version or what is wrong.
    std::vector<std::pair<std::string, std::string>> versions() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace devq::bench
