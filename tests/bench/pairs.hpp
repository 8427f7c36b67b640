#pragma once
/// Two ways to do the same, measured by turns: machines change their speed from minute to minute, the ratio of two
/// neighbours hardly does.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

namespace devq::bench {

inline double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    const double at = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - std::floor(at)) * (values[above] - values[below]);
}

/// Milliseconds a call, after one that does not count. The pause lets the other side's workers stop spinning
/// (OpenBLAS's do for some 20 ms).
template <class F>
double milliseconds(int calls, F&& call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    call();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
        call();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / calls;
}

struct Pairs {
    std::vector<double> ours, theirs; ///< milliseconds
    std::vector<double> ratios;       ///< theirs / ours, pair by pair
};

template <class Ours, class Theirs>
Pairs measure_pairs(int pairs, int calls, Ours&& ours, Theirs&& theirs) {
    Pairs result;
    for (int pair = 0; pair < pairs; ++pair) {
        double mine = 0, other = 0;
        if (pair % 2 == 0)
            mine = milliseconds(calls, ours);
        other = milliseconds(calls, theirs);
        if (pair % 2 != 0)
            mine = milliseconds(calls, ours);
        result.ours.push_back(mine);
        result.theirs.push_back(other);
        result.ratios.push_back(other / mine);
    }
    return result;
}

} // namespace devq::bench
