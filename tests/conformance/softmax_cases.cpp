#include "cases.hpp"
#include "softmax_reference.hpp"
#include <cmath>
#include <devq/ops/softmax.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Forward {
    const char* name;
    ops::Placement (*call)(const Queue&, const TensorView&, const TensorView&, int);
    Expected (SoftmaxRows::*expect)(const Index&);
};
constexpr Forward forwards[] = {{"softmax", ops::softmax, &SoftmaxRows::probability},
                                {"log_softmax", ops::log_softmax, &SoftmaxRows::logarithm}};

std::size_t along(const Dims& sizes, int axis) {
    return static_cast<std::size_t>(axis < 0 ? axis + sizes.rank() : axis);
}

Case forward_case(const Forward& f, DType type, const std::string& shape, const Layout& out, const Layout& in, int axis,
                  Values values) {
    return {f.name, std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& x = run.input(type, in, values);
                const Operand& y = run.output(type, out);
                run.ran(f.call(run.queue(), y.view(), x.view(), axis));
                SoftmaxRows rows(x, along(in.sizes, axis));
                run.judge(y, [&](const Index& i, std::int64_t) { return (rows.*f.expect)(i); });
            }};
}

void add_forward(std::vector<Case>& cases, const Forward& f, DType type) {
    const auto same = [&](const Layout& layout, int axis, Values values = Values::moderate, const char* note = "") {
        cases.push_back(forward_case(f, type, fmt::format("{} axis {}{}", layout.text(), axis, note), layout, layout,
                                     axis, values));
    };
    same(packed({33, 10}), -1);
    same(packed({7, 1000}), -1);
    same(packed({3, 5003}), 1);
    same(packed({257, 3}), -1);
    same(packed({65, 1}), 1);
    same(packed({1}), 0);
    same(packed({1000}), 0);
    same(packed({0, 7}), -1);
    same(packed({7, 0}), -1);
    same(packed({33, 19}), 0);
    same(packed({5, 31, 17}), 1);
    same(packed({2, 3, 1, 2, 5, 2, 3, 2}), 4);
    same(packed({40, 64}), -1, Values::wide, " wide");
    same(packed({64, 29}), -1, Values::risky, " inf denormal");
    same(packed({29, 64}), 0, Values::risky, " inf denormal");
    same(packed({64, 29}), -1, Values::special, " special");
    same(packed({5, 33}), -1, Values::minus_infinity, " -inf");
    same(packed({5, 33}), -1, Values::equal, " equal");
    same(packed({20, 17}), -1, Values::huge, " huge");
    same(shifted(gapped({21, 35}, 3), 1), -1);
    same(stepped({13, 37}, 2), -1);
    cases.push_back(
        forward_case(f, type, "21x35 in t01 axis 1", packed({21, 35}), swapped({21, 35}, 0, 1), 1, Values::moderate));
    cases.push_back(forward_case(f, type, "21x35 out t01 in gap1 axis 1", swapped({21, 35}, 0, 1), gapped({21, 35}, 1),
                                 1, Values::moderate));
    cases.push_back(
        forward_case(f, type, "9x35 in rep0 axis 1", packed({9, 35}), repeated({9, 35}, 1), 1, Values::moderate));
    cases.push_back({f.name, std::string(to_string(type)), "23x37 in place axis 1", [=](Run& run) {
                         const Operand& x = run.in_place(type, gapped({23, 37}, 3), Values::moderate);
                         run.ran(f.call(run.queue(), x.view(), x.view(), 1));
                         SoftmaxRows rows(x, 1);
                         run.judge(x, [&](const Index& i, std::int64_t) { return (rows.*f.expect)(i); });
                     }});
}

struct Backward {
    const char* name;
    ops::Placement (*call)(const Queue&, const TensorView&, const TensorView&, const TensorView&, int);
    bool logarithm;
};
constexpr Backward backwards[] = {{"softmax_backward", ops::softmax_backward, false},
                                  {"log_softmax_backward", ops::log_softmax_backward, true}};

/// What a softmax, or its logarithm, may have given; now and then a probability of 0.
double result_value(Random& random, bool logarithm) {
    if (random.one_in(16))
        return logarithm ? -INFINITY : 0;
    return logarithm ? random.uniform(-12, 0) : random.uniform(0, 1);
}

enum class Place { apart, over_gradient, over_out };

Case backward_case(const Backward& b, DType type, const std::string& shape, const Layout& in, const Layout& gradient,
                   const Layout& out, int axis, Values values = Values::wide, Place place = Place::apart) {
    return {b.name, std::string(to_string(type)), shape, [=](Run& run) {
                const auto result = [&](const Index&) { return result_value(run.random(), b.logarithm); };
                const Operand& g = place == Place::over_gradient ? run.in_place(type, gradient, values, "gradients")
                                                                 : run.input(type, gradient, values, "out_gradient");
                const Operand& y = place == Place::over_out ? run.in_place(type, out, result, "out and in_gradient")
                                                            : run.input(type, out, result, "out");
                const Operand& x = place == Place::over_gradient ? g
                                   : place == Place::over_out    ? y
                                                                 : run.output(type, in, "in_gradient");
                run.ran(b.call(run.queue(), x.view(), g.view(), y.view(), axis));
                SoftmaxGradient expect(g, y, along(in.sizes, axis), b.logarithm);
                run.judge(x, [&](const Index& i, std::int64_t) { return expect(i); });
            }};
}

void add_backward(std::vector<Case>& cases, const Backward& b, DType type) {
    const auto same = [&](const Layout& layout, int axis, Values values = Values::wide, const char* note = "",
                          Place place = Place::apart) {
        cases.push_back(backward_case(b, type, fmt::format("{} axis {}{}", layout.text(), axis, note), layout, layout,
                                      layout, axis, values, place));
    };
    same(packed({33, 10}), -1);
    same(packed({3, 5003}), 1);
    same(packed({257, 3}), -1);
    same(packed({1}), 0);
    same(packed({7, 0}), -1);
    same(packed({33, 19}), 0);
    same(packed({5, 31, 17}), 1);
    same(packed({2, 3, 1, 2, 5, 2, 3, 2}), 4);
    same(packed({64, 29}), -1, Values::risky, " inf denormal");
    same(packed({29, 64}), 0, Values::risky, " inf denormal");
    same(packed({64, 29}), -1, Values::nearly, " denormal");
    same(packed({5, 33}), -1, Values::equal, " equal");
    same(shifted(gapped({21, 35}, 3), 1), -1);
    same(stepped({13, 37}, 2), -1);
    same(gapped({23, 37}, 3), 1, Values::wide, " over out_gradient", Place::over_gradient);
    same(packed({23, 37}), 0, Values::wide, " over out", Place::over_out);
    cases.push_back(backward_case(b, type, "21x35 out_gradient rep1 axis 1", packed({21, 35}), repeated({21, 35}, 2),
                                  packed({21, 35}), 1));
    cases.push_back(
        backward_case(b, type, "21x35 out t01 axis 1", packed({21, 35}), packed({21, 35}), swapped({21, 35}, 0, 1), 1));
}

} // namespace

Case softmax_case(DType type, const std::string& shape, const Layout& out, const Layout& in, int axis, Values values) {
    return forward_case(forwards[0], type, shape, out, in, axis, values);
}

void add_softmax_cases(std::vector<Case>& cases) {
    for (const Forward& f : forwards)
        for (const DType type : storage_types)
            add_forward(cases, f, type);
    for (const Backward& b : backwards)
        for (const DType type : storage_types)
            add_backward(cases, b, type);
}

} // namespace devq::conformance
