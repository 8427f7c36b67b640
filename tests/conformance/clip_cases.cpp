#include "bounds.hpp"
#include "suite.hpp"
#include <algorithm>
#include <cmath>
#include <devq/ops/clip.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Clip {
    std::vector<Layout> layouts;
    double max_norm = 1;
    Values values = Values::unit;
    const char* note = "";
    bool mixed = false; ///< every second gradient is f32

    std::string text() const {
        std::string text;
        for (const Layout& layout : layouts)
            text += (text.empty() ? "" : ", ") + layout.text();
        return fmt::format("{}{} max {}{}", layouts.size() > 4 ? fmt::format("{} of", layouts.size()) : text,
                           layouts.size() > 4 ? " " + layouts[0].text() : "", max_norm, note);
    }
};

void add_clip(std::vector<Case>& cases, DType type, const Clip& c) {
    cases.push_back({"clip_norm", std::string(to_string(type)), c.text(), [=](Run& run) {
                         std::vector<const Operand*> gradients;
                         std::vector<TensorView> views;
                         for (std::size_t i = 0; i < c.layouts.size(); ++i) {
                             gradients.push_back(&run.in_place(c.mixed && i % 2 == 1 ? DType::f32 : type, c.layouts[i],
                                                               c.values, fmt::format("gradient {}", i)));
                             views.push_back(gradients.back()->view());
                         }
                         const Operand& norm = run.output(DType::f32, packed({1}), "norm");
                         run.ran(ops::clip_norm(run.queue(), views, norm.view(), c.max_norm));

                         double squares = 0, count = 0;
                         for (const Operand* gradient : gradients)
                             for_each_index(gradient->sizes(), [&](const Index& i, std::int64_t) {
                                 squares += (*gradient)(i) * (*gradient)(i);
                                 ++count;
                             });
                         const double total = std::sqrt(squares);
                         // A square and the sum: count roundings; squares may underflow, each by a step of f32's
                         // denormals.
                         const double off = gamma(count) * squares + count * 0x1p-149;
                         const double total_error = std::isfinite(total)
                                                        ? std::max(std::sqrt(squares + off) - total,
                                                                   total - std::sqrt(std::max(squares - off, 0.0))) +
                                                              gamma(roundings_of("sqrt")) * total
                                                        : 0;
                         run.judge(norm, [&](const Index&, std::int64_t) { return Expected{total, total_error}; });
                         const double divisor = total + 1e-6, factor = c.max_norm / divisor;
                         // Two constants, the sum and a division.
                         const double factor_error =
                             std::isfinite(total)
                                 ? factor * (total_error / (divisor - total_error) + gamma(3 + roundings_of("divide")))
                                 : 0;
                         for (const Operand* gradient : gradients)
                             run.judge(*gradient, [&](const Index& i, std::int64_t) {
                                 const double x = (*gradient)(i);
                                 if (factor - factor_error >= 1)
                                     return Expected::exactly(x);
                                 const double reference = x * (factor >= 1 ? 1 : factor); // NaN stays
                                 const double error = std::fabs(x) * factor_error + epsilon * std::fabs(reference);
                                 return Expected{reference, std::isfinite(reference) ? error : 0};
                             });
                     }});
}

} // namespace

void add_clip_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        const auto add = [&](const Clip& c) { add_clip(cases, type, c); };
        add({{packed({1009})}});
        add({{packed({33, 7}), packed({64, 256}), packed({5})}});
        add({{packed({33, 7}), packed({65})}, 1000, Values::unit, " loose"});
        add({{packed({35, 3}), packed({129})}, 3, Values::wide, "", true});
        add({{gapped({13, 31}, 3), swapped({13, 31}, 0, 1), shifted(packed({35}), 1)}, 0.5});
        add({{packed({})}, 0.25});
        add({{packed({0}), packed({3}), packed({4, 0, 2})}, 0.125});
        add({{packed({0})}});
        add({{}, 1, Values::unit, "none"});
        add({{packed({70001})}, 10});
        add({{stepped({9, 2111}, 2), packed({16384 * 3})}, 2});
        add({std::vector<Layout>(23, packed({37, 5})), 1});
        add({{packed({100})}, 0, Values::unit, " zero"});
        add({{packed({129})}, 1, Values::nearly, " denormal"});
        add({{packed({129}), packed({33})}, 1, Values::risky, " inf denormal"});
        add({{packed({129}), packed({33})}, 1, Values::special, " special"});
    }
}

} // namespace devq::conformance
