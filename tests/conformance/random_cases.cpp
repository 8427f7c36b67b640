#include "bounds.hpp"
#include "grad.hpp"
#include "philox_reference.hpp"
#include "suite.hpp"
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace devq::conformance {

namespace {

using ops::RandomState;

/// Where a case's numbers begin: seeds and offsets that use every word of key and counter.
struct Start {
    RandomState state;
    const char* name;
};
constexpr Start plain{{1234, 0, 0}, ""}, odd{{0x9E3779B97F4A7C15, 7, 3}, " from 7"},
    carrying{{0xFFFFFFFFFFFFFFFF, (std::uint64_t{1} << 34) - 70, 0xABCDEF0123456789}, " over 2^34"},
    wrapping{{42, 0xFFFFFFFFFFFFFFFF - 40, 0}, " over 2^64"};

/// What each element of a tensor should be, from its number in row-major order.
template <class Element>
void judge_sequence(Run& run, const Operand& out, Element&& element) {
    run.judge(out, [&](const Index& i, std::int64_t linear) { return element(i, static_cast<std::uint64_t>(linear)); });
}

Expected normal_value(const RandomState& state, std::uint64_t index, const ops::NormalOptions& options) {
    const std::uint64_t number = state.offset + index, pair = number - number % 2;
    const std::uint32_t a = philox_word(state, pair - state.offset), b = philox_word(state, pair + 1 - state.offset);
    // Two operations of f32, rounded alike everywhere.
    const double u = static_cast<float>(static_cast<double>(static_cast<float>(a)) * 0x1p-32 + 0x1p-33);
    const double length = std::sqrt(-2 * std::log(u)), turn = 2 * std::numbers::pi * static_cast<double>(b) * 0x1p-32;
    const double wave = number % 2 == 0 ? std::cos(turn) : std::sin(turn);
    const double value = length * wave * options.deviation;
    // Half of log's roundings, those of sqrt and of two products, and 8 for sine or cosine (docs/accuracy.md).
    const double error = gamma(roundings_of("log") / 2 + roundings_of("sqrt") + 2) * std::fabs(value) +
                         8 * epsilon * length * options.deviation * (1 + gamma(11));
    return {value + options.mean, error + gamma(1) * (std::fabs(value) + std::fabs(options.mean)) + function_floor};
}

/// The upper bits that the type has digits for.
double uniform_value(DType type, std::uint32_t word) {
    const int bits = format_of(type).precision;
    return std::ldexp(static_cast<double>(word >> (32 - bits)), -bits);
}

bool below(std::uint32_t word, double probability) { return word < std::nearbyint(probability * 0x1p32); }

void add_generators(std::vector<Case>& cases, DType type, const Layout& layout, const Start& start) {
    const RandomState state = start.state;
    const auto add = [&](const char* op, const std::string& note, auto&& call, auto&& element) {
        cases.push_back({op, std::string(to_string(type)), layout.text() + start.name + note, [=](Run& run) {
                             const Operand& out = run.output(type, layout);
                             run.ran(call(run.queue(), out.view()));
                             judge_sequence(run, out, [=](const Index&, std::uint64_t i) { return element(i); });
                         }});
    };
    if (type == DType::u32) {
        add(
            "random_bits", "",
            [=](const Queue& queue, const TensorView& out) { return ops::random_bits(queue, out, state); },
            [=](std::uint64_t i) { return Expected::exactly(philox_word(state, i)); });
        return;
    }
    add(
        "uniform", "", [=](const Queue& queue, const TensorView& out) { return ops::uniform(queue, out, state); },
        [=](std::uint64_t i) { return Expected::exactly(uniform_value(type, philox_word(state, i))); });
    for (const ops::NormalOptions options : {ops::NormalOptions{}, ops::NormalOptions{3, 0.25f}})
        add(
            "normal", options.mean == 0 ? "" : " mean 3 deviation 0.25",
            [=](const Queue& queue, const TensorView& out) { return ops::normal(queue, out, state, options); },
            [=](std::uint64_t i) { return normal_value(state, i, options); });
    for (const double p : {0.3, 1.0, 0.0})
        add(
            "bernoulli", fmt::format(" p {}", p),
            [=](const Queue& queue, const TensorView& out) { return ops::bernoulli(queue, out, state, p); },
            [=](std::uint64_t i) { return Expected::exactly(below(philox_word(state, i), p) ? 1 : 0); });
}

/// The bound of dropout and of its backward: the scale and a product.
Expected dropped(const RandomState& state, std::uint64_t i, double p, double x) {
    if (!below(philox_word(state, i), 1 - p))
        return Expected::exactly(0);
    const double reference = x / (1 - p);
    return p == 0 ? Expected::exactly(x)
                  : Expected{reference, std::isfinite(reference) ? gamma(2) * std::fabs(reference) : 0};
}

struct Dropout {
    Layout out, in;
    double p = 0.5;
    Start start = plain;
    Values values = Values::wide;
    bool in_place = false;
    const char* note = "";
};

void add_dropout(std::vector<Case>& cases, DType type, bool backward, const Dropout& d) {
    const std::string layouts = d.out.text() == d.in.text() ? d.in.text() : d.in.text() + " to " + d.out.text();
    cases.push_back({backward ? "dropout_backward" : "dropout", std::string(to_string(type)),
                     fmt::format("{} p {}{}{}{}", layouts, d.p, d.start.name, d.in_place ? " in place" : "", d.note),
                     [=](Run& run) {
                         const Operand& in =
                             d.in_place ? run.in_place(type, d.in, d.values) : run.input(type, d.in, d.values);
                         const Operand& out = d.in_place ? in : run.output(type, d.out);
                         const auto call = backward ? ops::dropout_backward : ops::dropout;
                         run.ran(call(run.queue(), out.view(), in.view(), d.start.state, d.p));
                         judge_sequence(run, out, [&](const Index& i, std::uint64_t linear) {
                             return dropped(d.start.state, linear, d.p, in(i));
                         });
                     }});
}

} // namespace

void add_random_cases(std::vector<Case>& cases) {
    for (const DType type : {DType::u32, DType::f32, DType::f16, DType::bf16}) {
        add_generators(cases, type, packed({1009}), plain);
        add_generators(cases, type, packed({33, 7}), odd);
        add_generators(cases, type, shifted(packed({127}), 1), carrying);
        add_generators(cases, type, packed({67}), wrapping);
        add_generators(cases, type, gapped({13, 31}, 3), odd);
        add_generators(cases, type, swapped({13, 31}, 0, 1), carrying);
        add_generators(cases, type, packed({}), odd);
        add_generators(cases, type, packed({3}), odd);
        add_generators(cases, type, packed({0}), plain);
        add_generators(cases, type, packed({40003}), plain);
    }
    for (const DType type : storage_types)
        for (const bool backward : {false, true}) {
            const auto add = [&](const Dropout& d) { add_dropout(cases, type, backward, d); };
            const auto same = [&](const Layout& layout, double p, const Start& start) {
                add({.out = layout, .in = layout, .p = p, .start = start});
            };
            same(packed({1009}), 0.5, plain);
            same(packed({64, 256}), 0.1, odd);
            same(shifted(packed({127}), 1), 0.7, carrying);
            same(packed({33, 7}), 0.5, wrapping);
            same(packed({300}), 0, odd);
            same(packed({300}), 1, odd);
            same(packed({}), 0.25, plain);
            same(packed({0}), 0.25, plain);
            same(gapped({13, 31}, 3), 0.25, odd);
            add({.out = packed({13, 31}), .in = swapped({13, 31}, 0, 1), .p = 0.4, .start = odd});
            add({.out = swapped({13, 31}, 0, 1), .in = repeated({13, 31}, 1), .p = 0.4, .start = odd});
            add({.out = packed({515}), .in = packed({515}), .p = 0.5, .start = odd, .in_place = true});
            add({.out = packed({300}), .in = packed({300}), .p = 0.5, .values = Values::special, .note = " special"});
        }
}

void add_random_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const Layout& layout : {packed({131}), swapped({7, 13}, 0, 1), shifted(gapped({5, 9}, 3), 1)})
            cases.push_back(
                {"dropout_backward", std::string(to_string(type)), layout.text() + " p 0.3", [=](Run& run) {
                     const Operand& x = run.input(type, layout, Values::unit, "x");
                     const Operand& g = run.input(type, layout, Values::unit, "out_gradient");
                     const Operand& dx = run.output(type, layout, "gradient");
                     constexpr double p = 0.3;
                     run.ran(ops::dropout_backward(run.queue(), dx.view(), g.view(), odd.state, p));
                     judge_gradient(
                         run, dx, x,
                         [&](const Point& at, LossSum& loss) {
                             for_each_index(layout.sizes, [&](const Index& i, std::int64_t linear) {
                                 if (below(philox_word(odd.state, static_cast<std::uint64_t>(linear)), 1 - p))
                                     loss.add(g(i) * at(x, i) / (1 - p));
                             });
                         },
                         [](const Index&, double derivative) { return gamma(2) * std::fabs(derivative); });
                 }});
}

} // namespace devq::conformance
