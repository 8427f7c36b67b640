#include "bounds.hpp"
#include "suite.hpp"
#include <cmath>
#include <devq/ops/mse.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

enum class Place { apart, over_x, over_target };

struct Shape {
    Layout x{}, target{}, gradient{}, loss{};
    bool with_gradient = true, factor = false, per_element = false;
    Place place = Place::apart;
    Values values = Values::wide;
    const char* note = "";
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    const std::string text = fmt::format("{}{}{}{}{}{}", s.x.text(), s.per_element ? " per element" : " mean",
                                         s.with_gradient ? " gradient" : "", s.factor ? " factor" : "",
                                         s.place == Place::over_x        ? " over x"
                                         : s.place == Place::over_target ? " over target"
                                                                         : "",
                                         s.note);
    cases.push_back({"mse_loss", std::string(to_string(type)), text, [=](Run& run) {
                         const Operand& x = s.place == Place::over_x
                                                ? run.in_place(type, s.x, s.values, "x and gradient")
                                                : run.input(type, s.x, s.values, "x");
                         const Operand& target = s.place == Place::over_target
                                                     ? run.in_place(type, s.target, s.values, "target and gradient")
                                                     : run.input(type, s.target, s.values, "target");
                         const Operand& loss =
                             run.output(DType::f32, s.per_element ? s.loss : shifted(packed({1}), 1), "loss");
                         const Operand& factor = run.input(
                             DType::f32, packed({1}), [](const Index&) { return 1024.0; }, "factor");
                         ops::MseOptions options;
                         options.per_element = s.per_element;
                         options.scale = 0.375f;
                         if (s.factor)
                             options.scale_factor = factor.view();
                         const Operand* gradient = nullptr;
                         if (s.with_gradient) {
                             gradient = s.place == Place::over_x        ? &x
                                        : s.place == Place::over_target ? &target
                                                                        : &run.output(type, s.gradient, "gradient");
                             options.gradient = gradient->view();
                         }
                         run.ran(ops::mse_loss(run.queue(), loss.view(), x.view(), target.view(), options));
                         const auto square = [&](const Index& i) { return std::pow(x(i) - target(i), 2); };
                         const auto n = static_cast<double>(s.x.elements());
                         if (s.per_element) {
                             run.judge(loss, [&](const Index& i, std::int64_t) {
                                 return Expected{square(i), gamma(3) * square(i)};
                             });
                         } else {
                             double sum = 0;
                             for_each_index(s.x.sizes, [&](const Index& i, std::int64_t) { sum += square(i); });
                             // The difference, once in each factor, its square, n sums, n as a float, the division;
                             // squares may underflow.
                             const double k = n + 3 + 1 + roundings_of("divide");
                             run.judge(loss, [&](const Index&, std::int64_t) {
                                 return Expected{sum / n, gamma(k) * sum / n + 0x1p-149};
                             });
                         }
                         const double scale = 2 * 0.375 * (s.factor ? 1024.0 : 1.0) / (s.per_element ? 1 : n);
                         if (gradient != nullptr)
                             run.judge(*gradient, [&](const Index& i, std::int64_t) {
                                 const double reference = (x(i) - target(i)) * scale;
                                 return Expected{reference, gamma(4) * std::fabs(reference)};
                             });
                     }});
}

} // namespace

void add_mse_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        const auto same = [&](const Layout& layout, Shape s = {}) {
            s.x = s.target = s.gradient = s.loss = layout;
            add(cases, type, s);
        };
        for (const bool per_element : {false, true}) {
            same(packed({}), {.per_element = per_element});
            same(packed({1000}), {.per_element = per_element});
            same(packed({257, 193}), {.factor = true, .per_element = per_element});
            same(packed({37, 3}), {.with_gradient = false, .per_element = per_element});
            same(shifted(gapped({21, 35}, 3), 1), {.per_element = per_element});
            same(packed({2, 3, 1, 2, 5, 2, 3, 2}), {.per_element = per_element});
            same(stepped({13, 37}, 2), {.factor = true, .per_element = per_element});
            same(packed({29, 31}), {.per_element = per_element, .place = Place::over_x});
            same(packed({29, 31}), {.per_element = per_element, .place = Place::over_target});
            same(packed({64, 29}), {.per_element = per_element, .values = Values::nearly, .note = " denormal"});
            same(packed({64, 29}), {.per_element = per_element, .values = Values::equal, .note = " equal"});
            add(cases, type,
                {.x = packed({21, 35}),
                 .target = swapped({21, 35}, 0, 1),
                 .gradient = gapped({21, 35}, 1),
                 .loss = swapped({21, 35}, 0, 1),
                 .per_element = per_element,
                 .note = " target t01"});
            add(cases, type,
                {.x = packed({21, 35, 4}),
                 .target = repeated({21, 35, 4}, 5),
                 .gradient = swapped({21, 35, 4}, 0, 2),
                 .loss = packed({21, 35, 4}),
                 .per_element = per_element,
                 .note = " target rep02"});
        }
        same(packed({64, 29}), {.per_element = true, .values = Values::risky, .note = " inf denormal"});
        same(packed({64, 29}), {.per_element = true, .values = Values::special, .note = " special"});
        same(packed({5, 3}), {.values = Values::minus_infinity, .note = " -inf"});
        same(packed({0, 5}), {.per_element = true});
    }
}

} // namespace devq::conformance
