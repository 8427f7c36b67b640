#include "bounds.hpp"
#include "cases.hpp"
#include "elementwise_reference.hpp"
#include <cmath>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

using ops::Binary;
using ops::Unary;

/// Results as bytes.
void add_unary_bytes(std::vector<Case>& cases, Unary op, DType type) {
    for (const Layout& out : {packed({31, 33}), shifted(gapped({31, 33}, 3), 1), swapped({31, 33}, 0, 1)})
        cases.push_back(
            {std::string(ops::to_string(op)), std::string(to_string(type)), out.text() + " to u8", [=](Run& run) {
                 const Operand& x = run.input(type, packed({31, 33}), Values::special);
                 const Operand& y = run.output(DType::u8, out);
                 run.ran(ops::unary(run.queue(), op, y.view(), x.view()));
                 run.judge(y, [&](const Index& i, std::int64_t) { return expect(op, x(i)); });
             }});
}
/// Gradients that take what the function gave: within its range.
void add_backward_of_result(std::vector<Case>& cases, Binary op, DType type) {
    for (const Values values : {Values::wide, Values::special, Values::any_bits})
        for (const Layout& layout : {packed({2003}), swapped({37, 19}, 0, 1)})
            cases.push_back({std::string(ops::to_string(op)), std::string(to_string(type)),
                             layout.text() + (values == Values::wide      ? ""
                                              : values == Values::special ? " special"
                                                                          : " any bits"),
                             [=](Run& run) {
                                 const Operand& g = run.input(type, layout, values, "gradient");
                                 const Operand& x = run.input(
                                     type, layout,
                                     [&](const Index&) {
                                         const double at = draw(run.random(), Values::moderate, type);
                                         return op == Binary::tanh_backward ? std::tanh(at) : 1 / (1 + std::exp(-at));
                                     },
                                     "result");
                                 const Operand& y = run.output(type, packed(layout.sizes));
                                 run.ran(ops::binary(run.queue(), op, y.view(), g.view(), x.view()));
                                 run.judge(y, [&](const Index& i, std::int64_t) { return expect(op, g(i), x(i)); });
                             }});
}
void add_binary_bytes(std::vector<Case>& cases, Binary op, DType type) {
    for (const Layout& out : {packed({31, 33}), shifted(gapped({31, 33}, 3), 1), swapped({31, 33}, 0, 1)})
        cases.push_back(
            {std::string(ops::to_string(op)), std::string(to_string(type)), out.text() + " to u8", [=](Run& run) {
                 const Operand& a = run.input(type, packed({31, 33}), Values::small_integers, "a");
                 const Operand& b = run.input(type, repeated({31, 33}, 1), Values::small_integers, "b");
                 const Operand& y = run.output(DType::u8, out);
                 run.ran(ops::binary(run.queue(), op, y.view(), a.view(), b.view()));
                 run.judge(y, [&](const Index& i, std::int64_t) { return expect(op, a(i), b(i)); });
             }});
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
    if (op > Unary::silu) { // the walk over elements is theirs too: less of it
        same(packed({12007}), Values::any_bits, " any bits");
        same(packed({2003}), Values::near_one, " near 1");
        same(packed({2003}), Values::thresholds, " -110 to 95");
        add("13x19 out gap5 in t01", gapped({13, 19}, 5), swapped({13, 19}, 0, 1), domain(op));
        if (gives_truth(op))
            add_unary_bytes(cases, op, type);
        return;
    }
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
    if (op == Binary::sigmoid_backward || op == Binary::tanh_backward)
        return add_backward_of_result(cases, op, type);
    same(packed({1009}), Values::wide);
    same(packed({67, 61}), Values::special, " special");
    same(packed({}), Values::wide);
    if (op > Binary::relu_backward) { // the walk over elements is theirs too: less of it
        same(packed({9, 65}), Values::small_integers, " ties");
        same(packed({2003}), Values::moderate, " -12 to 12");
        same(packed({1009}), Values::unit, " unit");
        add("33x65 a rep1 b t01", packed({33, 65}), repeated({33, 65}, 2), swapped({33, 65}, 0, 1));
        same(packed({12007}), Values::any_bits, " any bits");
        if (gives_truth(op))
            add_binary_bytes(cases, op, type);
        return;
    }
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

/// Those with a parameter: at limits that the storage type rounds, that cross, that are infinite or NaN.
void add_parametric(std::vector<Case>& cases, DType type) {
    const std::string name(to_string(type));
    struct Limits {
        double low, high;
    };
    for (const Limits limits : {Limits{-0.1, 1.7}, Limits{2, -1}, Limits{-INFINITY, 0.3}, Limits{0, NAN}})
        for (const Layout& out : {packed({31, 33}), gapped({31, 33}, 2)})
            cases.push_back(
                {"clamp", name, fmt::format("{} {} to {}", out.text(), limits.low, limits.high), [=](Run& run) {
                     const auto low = static_cast<float>(limits.low);
                     const auto high = static_cast<float>(limits.high);
                     const Operand& x = run.input(type, packed({31, 33}), Values::special);
                     const Operand& y = run.output(type, out);
                     run.ran(ops::clamp(run.queue(), y.view(), x.view(), limits.low, limits.high));
                     run.judge(y, [&](const Index& i, std::int64_t) {
                         if (std::isnan(x(i)) || std::isnan(low) || std::isnan(high))
                             return Expected{NAN};
                         return Expected{std::fmin(std::fmax(x(i), low), high)};
                     });
                 }});
    for (const double slope : {0.01, 0.0, -1.5})
        for (const Values values : {Values::wide, Values::special}) {
            const std::string shape = fmt::format("517 by {}{}", slope, values == Values::special ? " special" : "");
            const auto times = static_cast<double>(static_cast<float>(slope));
            const auto scaled = [=](double value) {
                const double y = times * value;
                return Expected{y, std::isfinite(y) ? epsilon * std::fabs(y) : 0};
            };
            cases.push_back({"leaky_relu", name, shape, [=](Run& run) {
                                 const Operand& x = run.in_place(type, packed({517}), values);
                                 run.ran(ops::leaky_relu(run.queue(), x.view(), x.view(), slope));
                                 run.judge(x, [&](const Index& i, std::int64_t) {
                                     return x(i) > 0 ? Expected{x(i)} : scaled(x(i));
                                 });
                             }});
            cases.push_back({"leaky_relu_backward", name, shape, [=](Run& run) {
                                 const Operand& g = run.input(type, packed({517}), Values::wide, "gradient");
                                 const Operand& x = run.input(type, packed({517}), values, "x");
                                 const Operand& y = run.output(type, packed({517}));
                                 run.ran(ops::leaky_relu_backward(run.queue(), y.view(), g.view(), x.view(), slope));
                                 run.judge(y, [&](const Index& i, std::int64_t) {
                                     return std::isnan(x(i)) ? Expected{NAN} : x(i) > 0 ? Expected{g(i)} : scaled(g(i));
                                 });
                             }});
            cases.push_back(
                {"elu", name, shape, [=](Run& run) {
                     const Operand& x = run.input(type, packed({517}), values);
                     const Operand& y = run.output(type, packed({517}));
                     run.ran(ops::elu(run.queue(), y.view(), x.view(), slope));
                     run.judge(y, [&](const Index& i, std::int64_t) {
                         if (x(i) > 0)
                             return Expected{x(i)};
                         const double r = times * std::expm1(x(i));
                         return Expected{
                             r, std::isfinite(r) ? roundings_of("elu") * epsilon * std::fabs(r) + function_floor : 0};
                     });
                 }});
        }
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
        for (int op = 0; op < unary_count; ++op)
            add_unary(cases, static_cast<Unary>(op), type);
        for (int op = 0; op < binary_count; ++op)
            add_binary(cases, static_cast<Binary>(op), type);
        add_parametric(cases, type);
    }
}

} // namespace devq::conformance
