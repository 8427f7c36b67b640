#pragma once
/// Decides whether an element is right. Host only: it looks at bytes that came back from a device.

#include "values.hpp"
#include <cstdint>
#include <optional>
#include <string>

namespace devq::conformance {

/// What an element should be.
struct Expected {
    double reference = 0;     ///< in f64, from the inputs as they were stored
    double arithmetic = 0;    ///< how far f32 arithmetic may be off before the result is rounded to its type
    bool exact = false;       ///< the very value, the sign of zero too
    bool unspecified = false; ///< anything goes, as long as something was written

    static Expected exactly(double value) noexcept { return {value, 0, true, false}; }
    static Expected anything() noexcept { return {0, 0, false, true}; }
};

/// |y - reference| may not exceed this: arithmetic + u·(|reference| + arithmetic) + half a step of the denormals.
double limit_of(const Expected& expected, const Format& format) noexcept;

struct Worst {
    std::int64_t index = 0; ///< row-major number of the element
    double value = 0, reference = 0;
    double error = 0; ///< infinite where NaN or infinity disagree
    double limit = 0;
};

/// Looks at elements one by one; remembers the worst (the largest error in units of its limit) and the first complaint.
class Judge {
public:
    explicit Judge(DType type) noexcept;
    void see(std::int64_t index, const std::byte* element, const Expected& expected);

    std::int64_t seen() const noexcept { return seen_; }
    std::int64_t wrong() const noexcept { return wrong_; }
    const std::optional<Worst>& worst() const noexcept { return worst_; }
    /// Σ(y - reference)² / Σ reference² over finite elements; 0 where all references are 0 and met.
    double nmse() const noexcept;
    const std::string& complaint() const noexcept {
        return complaint_;
    } ///< of the worst element; empty when none is wrong

private:
    void note(double badness, const Worst& worst, bool wrong, const char* what);

    DType type_;
    Format format_;
    std::int64_t seen_ = 0, wrong_ = 0;
    double squared_error_ = 0, squared_reference_ = 0, worst_badness_ = -1;
    std::optional<Worst> worst_;
    std::string complaint_;
};

} // namespace devq::conformance
