#include "overlap.hpp"
#include <algorithm>
#include <array>
#include <utility>

namespace devq::detail {

namespace {

/// count · stride with count free in [low, high].
struct Term {
    std::int64_t stride, low, high;
};

/// A sum of terms, widest strides first: can it be made `target`? Depth first; since what is left can only reach so
/// far, an ordinary tensor (each stride at least the extent of those below) leaves one or two choices a level. Views
/// made to be hard may exhaust the budget: then the answer is yes, which refuses them.
class Sum {
public:
    void add(std::int64_t stride, std::int64_t low, std::int64_t high) {
        if (low == high && low == 0)
            return;
        for (int i = 0; i < count_; i++)
            if (terms_[static_cast<std::size_t>(i)].stride == stride) {
                terms_[static_cast<std::size_t>(i)].low += low;
                terms_[static_cast<std::size_t>(i)].high += high;
                return;
            }
        terms_[static_cast<std::size_t>(count_++)] = {stride, low, high};
    }

    bool reaches(std::int64_t target) {
        std::sort(terms_.begin(), terms_.begin() + count_,
                  [](const Term& a, const Term& b) { return a.stride > b.stride; });
        budget_ = 100'000;
        return reaches(0, target);
    }

private:
    bool reaches(int level, std::int64_t target) {
        if (level == count_)
            return target == 0;
        if (--budget_ < 0)
            return true;
        std::int64_t low = 0, high = 0; // of the sum of the terms below
        for (int i = level + 1; i < count_; i++) {
            const Term& term = terms_[static_cast<std::size_t>(i)];
            low += term.stride * term.low;
            high += term.stride * term.high;
        }
        const Term& term = terms_[static_cast<std::size_t>(level)];
        if (term.stride == 0)
            return target == 0;
        // low <= target - count · stride <= high
        const std::int64_t first = std::max(term.low, ceil_div(target - high, term.stride));
        const std::int64_t last = std::min(term.high, floor_div(target - low, term.stride));
        for (std::int64_t count = first; count <= last; count++)
            if (reaches(level + 1, target - count * term.stride))
                return true;
        return false;
    }

    static std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
    static std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

    std::array<Term, 2 * max_rank + 2> terms_{};
    int count_ = 0;
    int budget_ = 0;
};

std::int64_t bytes_of(const TensorView& view) { return static_cast<std::int64_t>(size_of(view.dtype())); }

/// First byte and one past the last.
std::pair<std::int64_t, std::int64_t> extent(const TensorView& view) {
    std::int64_t last = view.offset();
    for (int d = 0; d < view.rank(); d++)
        last += (view.size(d) - 1) * view.stride(d);
    return {view.offset() * bytes_of(view), (last + 1) * bytes_of(view)};
}

} // namespace

bool overlaps_itself(const TensorView& view) {
    if (view.elements() <= 1 || view.contiguous())
        return false;
    // Two unlike indices of one place: their difference, the first unlike axis taken positive, has a sum of 0.
    for (int first = 0; first < view.rank(); first++) {
        if (view.size(first) == 1)
            continue;
        if (view.stride(first) == 0)
            return true;
        Sum sum;
        for (int d = first + 1; d < view.rank(); d++)
            sum.add(view.stride(d), 1 - view.size(d), view.size(d) - 1);
        sum.add(view.stride(first), 0, view.size(first) - 2);
        if (sum.reaches(-view.stride(first)))
            return true;
    }
    return false;
}

bool overlap(const TensorView& a, const TensorView& b) {
    if (a.elements() == 0 || b.elements() == 0)
        return false;
    const auto [a_begin, a_end] = extent(a);
    const auto [b_begin, b_end] = extent(b);
    if (a_end <= b_begin || b_end <= a_begin)
        return false;
    Sum sum; // the byte of a less the byte of b
    for (int d = 0; d < a.rank(); d++)
        if (a.size(d) > 1) // else the stride is never used, and may be anything
            sum.add(a.stride(d) * bytes_of(a), 0, a.size(d) - 1);
    for (int d = 0; d < b.rank(); d++)
        if (b.size(d) > 1)
            sum.add(b.stride(d) * bytes_of(b), 1 - b.size(d), 0);
    sum.add(1, 1 - bytes_of(b), bytes_of(a) - 1);
    return sum.reaches(b_begin - a_begin);
}

bool same_elements(const TensorView& a, const TensorView& b) {
    if (a.dtype() != b.dtype() || a.offset() != b.offset() || a.sizes() != b.sizes())
        return false;
    for (int d = 0; d < a.rank(); d++)
        if (a.size(d) > 1 && a.stride(d) != b.stride(d))
            return false;
    return true;
}

} // namespace devq::detail
