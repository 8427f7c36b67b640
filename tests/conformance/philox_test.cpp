// The generator behind random.hpp: Random123's known answers, and that its numbers look random. Their seed is fixed, so
// that the figures are the same at every run and on every device (normal: to a few roundings); they are printed.
#include "philox_reference.hpp"
#include "test_devices.hpp"
#include <algorithm>
#include <cmath>
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <numeric>
#include <vector>

using namespace devq;
using namespace devq::conformance;

namespace {

constexpr std::int64_t count = 1 << 20;
constexpr ops::RandomState state{20260101, 5, 9};

template <class F>
std::vector<float> drawn(const Queue& queue, F&& draw) {
    const Tensor out(queue.device(), DType::f32, {count});
    draw(out.view());
    std::vector<float> values(count);
    queue.read(values.data(), out.buffer(), 0, values.size() * sizeof(float));
    return values;
}

double mean_of(const std::vector<float>& values, double power, double centre) {
    double sum = 0;
    for (const float x : values)
        sum += std::pow(x - centre, power);
    return sum / static_cast<double>(values.size());
}

/// Of `cell(x)`, 0 … cells - 1, all alike likely: in standard deviations from what is expected.
template <class F>
double chi_square(const std::vector<float>& values, int cells, F&& cell) {
    std::vector<double> found(static_cast<std::size_t>(cells));
    for (const float x : values)
        ++found[static_cast<std::size_t>(cell(x))];
    const double expected = static_cast<double>(values.size()) / cells;
    const double chi = std::accumulate(found.begin(), found.end(), 0.0, [&](double sum, double n) {
        return sum + (n - expected) * (n - expected) / expected;
    });
    return (chi - (cells - 1)) / std::sqrt(2.0 * (cells - 1));
}

/// Of neighbours `lag` apart, times √n: a standard normal value where there is none.
double correlation(const std::vector<float>& values, std::size_t lag, double mean, double variance) {
    double sum = 0;
    for (std::size_t i = lag; i < values.size(); ++i)
        sum += (values[i] - mean) * (values[i - lag] - mean);
    return sum / variance / std::sqrt(static_cast<double>(values.size()));
}

} // namespace

TEST_CASE("Philox gives Random123's known answers") {
    CHECK(philox({0, 0, 0, 0}, {0, 0}) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
    for (const Device& device : devices_to_test()) {
        const Queue queue = device.create_queue();
        const Tensor out(device, DType::u32, {4});
        ops::random_bits(queue, out, {});
        PhiloxBlock block{};
        queue.read(block.data(), out.buffer(), 0, sizeof(block));
        CHECK(block == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    }
}

TEST_CASE("random numbers look random") {
    const double root = std::sqrt(static_cast<double>(count));
    for (const Device& device : devices_to_test()) {
        const Queue queue = device.create_queue();
        const std::string& id = device.info().id;
        // Each figure is in standard deviations of what independent numbers would give.
        const auto within = [&](const char* what, double deviations, double most = 4) {
            MESSAGE(fmt::format("{} {}: {:+.2f} of {}", id, what, deviations, most));
            CHECK(std::fabs(deviations) <= most);
        };
        const auto flat = drawn(queue, [&](const TensorView& out) { ops::uniform(queue, out, state); });
        within("uniform, mean", (mean_of(flat, 1, 0) - 0.5) * std::sqrt(12.0) * root);
        within("uniform, variance", (mean_of(flat, 2, 0.5) - 1.0 / 12) * std::sqrt(180.0) * root);
        within("uniform, chi-square", chi_square(flat, 1024, [](float x) { return static_cast<int>(x * 1024); }));
        for (const std::size_t lag : {1, 2, 3, 4, 32})
            within("uniform, correlation", correlation(flat, lag, 0.5, 1.0 / 12));

        const auto normal = drawn(queue, [&](const TensorView& out) { ops::normal(queue, out, state); });
        within("normal, mean", mean_of(normal, 1, 0) * root);
        within("normal, variance", (mean_of(normal, 2, 0) - 1) / std::sqrt(2.0) * root);
        within("normal, third moment", mean_of(normal, 3, 0) / std::sqrt(15.0) * root);
        within("normal, fourth moment", (mean_of(normal, 4, 0) - 3) / std::sqrt(96.0) * root);
        within("normal, chi-square", chi_square(normal, 256, [](float x) {
                   return std::min(static_cast<int>(128 * std::erfc(-x / std::sqrt(2.0))), 255);
               }));
        for (const std::size_t lag : {1, 2, 3})
            within("normal, correlation", correlation(normal, lag, 0, 1));

        for (const double p : {0.1, 0.5, 0.999}) {
            const auto ones = drawn(queue, [&](const TensorView& out) { ops::bernoulli(queue, out, state, p); });
            within("bernoulli, mean", (mean_of(ones, 1, 0) - p) / std::sqrt(p * (1 - p)) * root);
        }
    }
}
