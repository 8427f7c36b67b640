#include "bounds.hpp"
#include "softmax_reference.hpp"
#include "suite.hpp"
#include <cmath>
#include <devq/ops/cross_entropy.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Shape {
    std::int64_t rows, classes;
    std::int64_t gap = 0, shift = 0;
    bool gradient = true, factor = false, in_place = false, bad_labels = false;
    Values values = Values::moderate;
    const char* note = "";

    std::string text() const {
        return fmt::format("{}x{}{}{}{}{}{}{}{}", rows, classes, gap > 0 ? fmt::format(" gap{}", gap) : "",
                           shift > 0 ? fmt::format(" off{}", shift) : "", gradient ? " gradient" : " loss only",
                           factor ? " factor" : "", in_place ? " in place" : "", bad_labels ? " labels outside" : "",
                           note);
    }
};

bool inside(double label, std::int64_t classes) { return label >= 0 && label < static_cast<double>(classes); }

Expected expect_loss(SoftmaxRows& rows, const Operand& x, std::int64_t row, double label, std::int64_t classes) {
    if (!inside(label, classes))
        return {NAN};
    const SoftmaxRows::Row& r = rows.row({row, 0});
    const double logit = x({row, static_cast<std::int64_t>(label)}), log_sum = std::log(r.sum);
    const double reference = log_sum + (r.max - logit);
    if (!std::isfinite(reference))
        return {reference};
    // log of the sum, then two additions in whatever order.
    return {reference, r.sum_relative + roundings_of("log") * epsilon * std::fabs(log_sum) +
                           gamma(2) * (std::fabs(log_sum) + std::fabs(r.max) + std::fabs(logit))};
}

Expected expect_gradient(SoftmaxRows& rows, const Index& at, double label, std::int64_t classes, double scale) {
    if (!inside(label, classes))
        return {NAN};
    const Expected p = rows.probability(at);
    const double hot = static_cast<double>(at[1]) == label ? 1 : 0;
    const double reference = (p.reference - hot) * scale;
    if (!std::isfinite(reference))
        return {reference};
    // The subtraction and up to two multiplications, on top of the probability's own error.
    return {reference,
            p.arithmetic * std::fabs(scale) * (1 + gamma(3)) + gamma(3) * std::fabs(reference) + function_floor};
}

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back({"softmax_cross_entropy", std::string(to_string(type)), s.text(), [=](Run& run) {
                         const Layout matrix = shifted(gapped({s.rows, s.classes}, s.gap), s.shift);
                         const Operand& x = s.in_place ? run.in_place(type, matrix, s.values, "logits and gradient")
                                                       : run.input(type, matrix, s.values, "logits");
                         const Operand& labels = run.input(
                             DType::i32, packed({s.rows}),
                             [&](const Index& i) {
                                 if (s.bad_labels && i[0] % 3 == 1)
                                     return i[0] % 2 == 0 ? -1.0 : static_cast<double>(s.classes);
                                 return static_cast<double>(run.random().below(s.classes));
                             },
                             "labels");
                         const Operand& factor = run.input(
                             DType::f32, packed({1}), [](const Index&) { return 1024.0; }, "factor");
                         const Operand& loss = run.output(DType::f32, shifted(packed({s.rows}), s.shift), "loss");
                         ops::CrossEntropyOptions options;
                         options.scale = 1.0f / static_cast<float>(s.rows);
                         if (s.factor)
                             options.scale_factor = factor.view();
                         const Operand* gradient = nullptr;
                         if (s.gradient) {
                             gradient = s.in_place ? &x : &run.output(type, matrix, "gradient");
                             options.gradient = gradient->view();
                         }
                         run.ran(
                             ops::softmax_cross_entropy(run.queue(), loss.view(), x.view(), labels.view(), options));
                         SoftmaxRows rows(x, 1);
                         run.judge(loss, [&](const Index& i, std::int64_t) {
                             return expect_loss(rows, x, i[0], labels({i[0]}), s.classes);
                         });
                         const double scale = static_cast<double>(options.scale) * (s.factor ? 1024.0 : 1.0);
                         if (gradient != nullptr)
                             run.judge(*gradient, [&](const Index& i, std::int64_t) {
                                 return expect_gradient(rows, i, labels({i[0]}), s.classes, scale);
                             });
                     }});
}

} // namespace

void add_cross_entropy_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        add(cases, type, {.rows = 128, .classes = 10});
        add(cases, type, {.rows = 128, .classes = 10, .factor = true});
        add(cases, type, {.rows = 37, .classes = 10, .gradient = false});
        add(cases, type, {.rows = 5, .classes = 1000});
        add(cases, type, {.rows = 3, .classes = 4099, .factor = true});
        add(cases, type, {.rows = 65, .classes = 1});
        add(cases, type, {.rows = 1, .classes = 2});
        add(cases, type, {.rows = 300, .classes = 3});
        add(cases, type, {.rows = 17, .classes = 33, .gap = 3, .shift = 1});
        add(cases, type, {.rows = 29, .classes = 19, .factor = true, .in_place = true});
        add(cases, type, {.rows = 29, .classes = 19, .gap = 5, .in_place = true});
        add(cases, type, {.rows = 25, .classes = 13, .bad_labels = true});
        add(cases, type, {.rows = 25, .classes = 13, .gradient = false, .bad_labels = true});
        add(cases, type, {.rows = 33, .classes = 17, .values = Values::wide, .note = " wide"});
        add(cases, type, {.rows = 64, .classes = 29, .values = Values::risky, .note = " inf denormal"});
        add(cases, type, {.rows = 64, .classes = 29, .values = Values::special, .note = " special"});
        add(cases, type, {.rows = 8, .classes = 12, .values = Values::equal, .note = " equal"});
        add(cases, type, {.rows = 8, .classes = 12, .values = Values::minus_infinity, .note = " -inf"});
    }
}

} // namespace devq::conformance
