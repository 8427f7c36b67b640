#include "bounds.hpp"
#include "cases.hpp"
#include <cmath>

namespace devq::conformance {

namespace {

using ops::Binary;
using ops::Unary;

constexpr Unary unary_ops[] = {Unary::copy,    Unary::negate,     Unary::abs,  Unary::square,    Unary::sqrt,
                               Unary::rsqrt,   Unary::reciprocal, Unary::exp,  Unary::log,       Unary::tanh,
                               Unary::sigmoid, Unary::relu,       Unary::gelu, Unary::gelu_tanh, Unary::silu};
constexpr Binary binary_ops[] = {Binary::add,     Binary::subtract, Binary::multiply,     Binary::divide,
                                 Binary::maximum, Binary::minimum,  Binary::relu_backward};

/// A result of one or a few roundings: relative to itself.
Expected relative(double reference, std::string_view op) {
    return {reference, std::isfinite(reference) ? roundings_of(op) * epsilon * std::fabs(reference) : 0};
}
/// The same for functions, which may flush denormal results.
Expected function(double reference, double terms, std::string_view op) {
    return {reference, std::isfinite(reference) ? roundings_of(op) * epsilon * terms + function_floor : 0};
}

Expected expect(Unary op, double x) {
    switch (op) {
    case Unary::copy:
        return Expected::exactly(x);
    case Unary::negate:
        return Expected::exactly(-x);
    case Unary::abs:
        return Expected::exactly(std::fabs(x));
    case Unary::relu:
        return {std::isnan(x) || x > 0 ? x : 0.0}; // either zero
    case Unary::square:
        return relative(x * x, "square");
    case Unary::reciprocal:
        return relative(1 / x, "reciprocal");
    case Unary::sqrt:
        return relative(std::sqrt(x), "sqrt");
    case Unary::rsqrt:
        return relative(1 / std::sqrt(x), "rsqrt");
    case Unary::log:
        return relative(std::log(x), "log");
    case Unary::exp:
        return function(std::exp(x), std::exp(x), "exp");
    case Unary::tanh:
        return function(std::tanh(x), std::fabs(std::tanh(x)), "tanh");
    case Unary::sigmoid: {
        const double y = 1 / (1 + std::exp(-x));
        return function(y, y, "sigmoid");
    }
    case Unary::silu: {
        if (x == -INFINITY)
            return Expected::anything(); // -inf · 0
        const double y = x / (1 + std::exp(-x));
        return function(y, std::fabs(y), "silu");
    }
    case Unary::gelu: {
        if (x == -INFINITY)
            return Expected::anything();
        const double e = std::erf(x / std::sqrt(2.0));
        return function(x / 2 * (1 + e), std::fabs(x) / 2 * (1 + std::fabs(e)), "gelu");
    }
    case Unary::gelu_tanh: {
        if (x == -INFINITY)
            return Expected::anything();
        const double t = std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
        return function(x / 2 * (1 + t), std::fabs(x) / 2 * (1 + std::fabs(t)), "gelu_tanh");
    }
    }
    return {};
}

Expected expect(Binary op, double a, double b) {
    switch (op) {
    case Binary::add:
        return relative(a + b, "add");
    case Binary::subtract:
        return relative(a - b, "subtract");
    case Binary::multiply:
        return relative(a * b, "multiply");
    case Binary::divide:
        return relative(a / b, "divide");
    case Binary::maximum:
        return {std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b)};
    case Binary::minimum:
        return {std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b)};
    case Binary::relu_backward:
        return {std::isnan(b) ? NAN : b > 0 ? a : 0.0};
    }
    return {};
}

Values domain(Unary op) {
    switch (op) {
    case Unary::sqrt:
    case Unary::rsqrt:
    case Unary::log:
        return Values::positive;
    case Unary::exp:
    case Unary::tanh:
    case Unary::sigmoid:
    case Unary::gelu:
    case Unary::gelu_tanh:
    case Unary::silu:
        return Values::moderate;
    default:
        return Values::wide;
    }
}

void add_unary(std::vector<Case>& cases, Unary op, DType type) {
    const auto add = [&](const std::string& shape, const Layout& out, const Layout& in, Values values) {
        cases.push_back(unary_case(op, type, shape, out, in, values));
    };
    const auto same = [&](const Layout& layout, Values values, const char* note = "") {
        add(layout.text() + note, layout, layout, values);
    };
    same(packed({1009}), domain(op));
    same(packed({31, 33}), Values::special, " special");
    same(packed({}), domain(op));
    same(packed({1}), domain(op));
    same(packed({0}), domain(op));
    same(packed({30011}), Values::any_bits, " any bits");
    same(packed({5003}), Values::near_one, " near 1");
    same(packed({5003}), Values::thresholds, " -110 to 95");
    same(shifted(packed({17}), 1), domain(op));
    add("37x19 out gap5 in t01", gapped({37, 19}, 5), swapped({37, 19}, 0, 1), domain(op));
    add("5x7x9 in rep1", packed({5, 7, 9}), repeated({5, 7, 9}, 2), domain(op));
    cases.push_back({std::string(ops::to_string(op)), std::string(to_string(type)), "257 in place off3", [=](Run& run) {
                         const Operand& x = run.in_place(type, shifted(packed({257}), 3), domain(op));
                         run.ran(ops::unary(run.queue(), op, x.view(), x.view()));
                         run.judge(x, [&](const Index& i, std::int64_t) { return expect(op, x(i)); });
                     }});
    if (op != Unary::copy && op != Unary::gelu)
        return; // the walk over elements is one for all: the long and the twisted ones once
    same(packed({300007}), domain(op));
    same(stepped({65, 7}, 3), domain(op));
    same(packed({2, 1, 3, 2, 1, 2, 3, 5}), domain(op));
    add("2x3x2x3x2x3x2x3 in t07 out t16", swapped({2, 3, 2, 3, 2, 3, 2, 3}, 1, 6),
        swapped({2, 3, 2, 3, 2, 3, 2, 3}, 0, 7), domain(op));
    same(packed({4, 0, 3}), domain(op));
    add("3x1025 in rep01", packed({3, 1025}), repeated({3, 1025}, 3), domain(op));
    same(gapped({129, 63}, 1), domain(op));
}

void add_binary(std::vector<Case>& cases, Binary op, DType type) {
    const std::string name(ops::to_string(op)), type_name(to_string(type));
    const auto add = [&](const std::string& shape, const Layout& out, const Layout& left, const Layout& right,
                         Values values = Values::wide) {
        cases.push_back(binary_case(op, type, shape, out, left, right, values));
    };
    const auto same = [&](const Layout& layout, Values values, const char* note = "") {
        add(layout.text() + note, layout, layout, layout, values);
    };
    same(packed({1009}), Values::wide);
    same(packed({67, 61}), Values::special, " special");
    same(packed({}), Values::wide);
    same(packed({0, 5}), Values::wide);
    same(shifted(packed({33}), 1), Values::wide);
    same(packed({9, 65}), Values::small_integers, " ties");
    add("33x65 b rep0", packed({33, 65}), packed({33, 65}), repeated({33, 65}, 1));
    add("33x65 a rep1", packed({33, 65}), repeated({33, 65}, 2), packed({33, 65}));
    add("3x5x7 a rep02 b rep1", packed({3, 5, 7}), repeated({3, 5, 7}, 5), repeated({3, 5, 7}, 2));
    add("37x19 a t01 out gap3", gapped({37, 19}, 3), swapped({37, 19}, 0, 1), gapped({37, 19}, 2));
    add("2x2x3x1x2x3x2x5 b t17", packed({2, 2, 3, 1, 2, 3, 2, 5}), packed({2, 2, 3, 1, 2, 3, 2, 5}),
        swapped({2, 2, 3, 1, 2, 3, 2, 5}, 1, 7));
    // numpy's rules: missing leading axes, and axes of size 1.
    add("a 4x3x17 b 3x1 broadcast", packed({4, 3, 17}), packed({4, 3, 17}), packed({3, 1}));
    add("a 1x65 b 33x1 broadcast", packed({33, 65}), packed({1, 65}), packed({33, 1}));
    add("a scalar b 2x33 broadcast", packed({2, 33}), packed({}), packed({2, 33}));
    same(packed({20011}), Values::any_bits, " any bits");
    cases.push_back({name, type_name, "131 in place of a off5", [=](Run& run) {
                         const Operand& a = run.in_place(type, shifted(packed({131}), 5), Values::wide, "a");
                         const Operand& b = run.input(type, packed({131}), Values::wide, "b");
                         run.ran(ops::binary(run.queue(), op, a.view(), a.view(), b.view()));
                         run.judge(a, [&](const Index& i, std::int64_t) { return expect(op, a(i), b(i)); });
                     }});
    cases.push_back({name, type_name, "7x21 in place of b", [=](Run& run) {
                         const Operand& a = run.input(type, repeated({7, 21}, 1), Values::wide, "a");
                         const Operand& b = run.in_place(type, packed({7, 21}), Values::wide, "b");
                         run.ran(ops::binary(run.queue(), op, b.view(), a.view(), b.view()));
                         run.judge(b, [&](const Index& i, std::int64_t) { return expect(op, a(i), b(i)); });
                     }});
    if (op == Binary::add)
        same(packed({131, 1025}), Values::wide);
}

} // namespace

Index broadcast_index(const Index& index, int rank, const Dims& sizes) {
    Index place{};
    const int skip = rank - sizes.rank();
    for (int axis = 0; axis < sizes.rank(); ++axis)
        if (sizes[axis] != 1)
            place[static_cast<std::size_t>(axis)] = index[static_cast<std::size_t>(axis + skip)];
    return place;
}

Case unary_case(Unary op, DType type, const std::string& shape, const Layout& out, const Layout& in, Values values) {
    return {std::string(ops::to_string(op)), std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& x = run.input(type, in, values);
                const Operand& y = run.output(type, out);
                run.ran(ops::unary(run.queue(), op, y.view(), x.view()));
                const int rank = out.sizes.rank();
                run.judge(
                    y, [&](const Index& i, std::int64_t) { return expect(op, x(broadcast_index(i, rank, in.sizes))); });
            }};
}

Case binary_case(Binary op, DType type, const std::string& shape, const Layout& out, const Layout& left,
                 const Layout& right, Values values) {
    return {std::string(ops::to_string(op)), std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& a = run.input(type, left, values, "a");
                const Operand& b = run.input(type, right, values, "b");
                const Operand& y = run.output(type, out);
                run.ran(ops::binary(run.queue(), op, y.view(), a.view(), b.view()));
                const int rank = out.sizes.rank();
                run.judge(y, [&](const Index& i, std::int64_t) {
                    return expect(op, a(broadcast_index(i, rank, left.sizes)),
                                  b(broadcast_index(i, rank, right.sizes)));
                });
            }};
}

void add_elementwise_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        for (const Unary op : unary_ops)
            add_unary(cases, op, type);
        for (const Binary op : binary_ops)
            add_binary(cases, op, type);
    }
}

} // namespace devq::conformance
