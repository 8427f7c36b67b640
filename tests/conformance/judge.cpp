#include "judge.hpp"
#include <cmath>
#include <limits>

namespace devq::conformance {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}

double limit_of(const Expected& expected, const Format& format) noexcept {
    if (expected.exact)
        return 0;
    return expected.arithmetic + format.unit_roundoff() * (std::fabs(expected.reference) + expected.arithmetic) +
           format.subnormal_step() / 2;
}

Judge::Judge(DType type) noexcept : type_(type), format_(format_of(type)) {}

void Judge::note(double badness, const Worst& worst, bool wrong, const char* what) {
    wrong_ += wrong ? 1 : 0;
    if (badness <= worst_badness_)
        return;
    worst_badness_ = badness;
    worst_ = worst;
    if (wrong)
        complaint_ = what;
}

void Judge::see(std::int64_t index, const std::byte* element, const Expected& expected) {
    ++seen_;
    const double y = decode(type_, element);
    const double reference = expected.reference;
    Worst worst{index, y, reference, 0, limit_of(expected, format_)};
    const auto disagree = [&](const char* what) {
        worst.error = infinity;
        note(infinity, worst, true, what);
    };
    const bool byte = size_of(type_) == 1 && !expected.unspecified; // each of its values may be right
    if (is_poison(type_, element) && !(byte && y == reference))
        return disagree("was never written");
    if (expected.unspecified)
        return;
    if (std::isnan(reference) || std::isnan(y)) {
        if (std::isnan(reference) != std::isnan(y))
            return disagree(std::isnan(y) ? "is NaN and should not be" : "should be NaN");
        return note(0, worst, false, "");
    }
    if (expected.exact) {
        worst.error = y == reference ? 0 : std::fabs(y - reference);
        if (std::isfinite(y) && std::isfinite(reference)) {
            squared_error_ += worst.error * worst.error;
            squared_reference_ += reference * reference;
        }
        if (y != reference)
            return note(infinity, worst, true, "is not the exact value");
        if (std::signbit(y) != std::signbit(reference))
            return note(infinity, worst, true, "has the wrong sign of zero");
        return note(0, worst, false, "");
    }
    if (std::isinf(reference)) {
        if (y != reference)
            return disagree("should be infinite");
        return note(0, worst, false, "");
    }
    if (!is_floating(type_)) {
        worst.error = std::fabs(y - reference);
        return note(worst.error > 0 ? infinity : 0, worst, worst.error > 0, "is not the exact value");
    }
    const double threshold = format_.overflow_threshold();
    if (std::isinf(y)) {
        const bool may_overflow =
            std::fabs(reference) + expected.arithmetic >= threshold && std::signbit(y) == std::signbit(reference);
        return may_overflow ? note(0, worst, false, "") : disagree("is infinite and should not be");
    }
    if (std::fabs(reference) - expected.arithmetic >= threshold)
        return disagree("should have overflowed to infinity");
    worst.error = std::fabs(y - reference);
    squared_error_ += worst.error * worst.error;
    squared_reference_ += reference * reference;
    const bool wrong = !(worst.error <= worst.limit);
    note(worst.error == 0 ? 0 : worst.error / worst.limit, worst, wrong, "is further off than its limit");
}

double Judge::nmse() const noexcept {
    if (squared_error_ == 0)
        return 0;
    return squared_reference_ > 0 ? squared_error_ / squared_reference_ : infinity;
}

} // namespace devq::conformance
