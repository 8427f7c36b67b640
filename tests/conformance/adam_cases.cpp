#include "bounds.hpp"
#include "suite.hpp"
#include <algorithm>
#include <cmath>
#include <devq/ops/optimizer.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

enum class Count { caller, device };

struct Adam {
    Dims sizes;
    std::int64_t step = 1;
    double decay = 0;
    Count count = Count::caller;
    double skip = -1;    ///< < 0: no flag
    bool shared = false; ///< weights is master itself
    std::int64_t shift = 0;
    Values gradient = Values::unit;
    double rate = 2e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    const char* note = "";

    std::string text() const {
        return fmt::format("{} step {} decay {}{}{}{}{}", shifted(packed(sizes), shift).text(), step, decay,
                           count == Count::device ? " counted" : "", shared ? " shared" : "",
                           skip < 0    ? ""
                           : skip == 0 ? " flag 0"
                                       : " flag 1",
                           note);
    }
};

/// Moments and weight after one update, in f64, with how far f32 may be off (docs/accuracy.md).
struct Update {
    Expected first, second, master;
};

Expected bounded(double reference, double error) {
    return {reference, std::isfinite(reference) && std::isfinite(error) ? error : 0};
}

Update update_of(const Adam& a, bool decoupled, double w, double m, double v, double gradient) {
    const double coupled = decoupled ? 0 : a.decay * w;
    const double g = coupled == 0 ? gradient : gradient + coupled;
    const double g_error = coupled == 0 ? 0 : gamma(3) * (std::fabs(gradient) + std::fabs(coupled));
    const double rest1 = 1 - a.beta1, rest2 = 1 - a.beta2;
    const double new_m = a.beta1 * m + rest1 * g;
    const double m_error =
        gamma(3) * (std::fabs(a.beta1 * m) + rest1 * std::fabs(g)) + rest1 * g_error * (1 + gamma(3));
    const double new_v = a.beta2 * v + rest2 * g * g;
    // The square of a small gradient may underflow: two steps of f32's denormals.
    const double v_error =
        gamma(4) * new_v + rest2 * (2 * std::fabs(g) * g_error + g_error * g_error) * (1 + gamma(4)) + 0x1p-148;
    const double root = std::sqrt(new_v);
    const double root_error =
        std::max(std::sqrt(new_v + v_error) - root, root - std::sqrt(std::max(new_v - v_error, 0.0)));
    const double t = static_cast<double>(a.step);
    const double scale = 1 / std::sqrt(1 - std::pow(a.beta2, t)), size = a.rate / (1 - std::pow(a.beta1, t));
    // On the device 1 - beta^t is -expm1(t · log beta): its argument has two roundings, expm1 3 ulp.
    const bool counted = a.count == Count::device;
    const double correction = 2 + 6;
    const double scale_roundings = counted ? correction / 2 + roundings_of("rsqrt") : 1;
    const double size_roundings = counted ? 1 + correction + roundings_of("divide") : 1;
    const double divisor = root * scale + a.epsilon;
    const double divisor_error = root_error * scale * (1 + gamma(scale_roundings + 8)) +
                                 gamma(roundings_of("sqrt") + scale_roundings + 2) * root * scale +
                                 gamma(2) * a.epsilon;
    const double quotient = new_m / divisor;
    const double quotient_error = (m_error + std::fabs(quotient) * divisor_error) / (divisor - divisor_error) *
                                      (1 + gamma(roundings_of("divide"))) +
                                  gamma(roundings_of("divide")) * std::fabs(quotient) + function_floor;
    const double kept = decoupled ? (1 - a.rate * a.decay) * w : w;
    const double new_w = kept - size * quotient;
    const double w_error = gamma(3) * std::fabs(kept) + size * quotient_error * (1 + gamma(size_roundings + 2)) +
                           gamma(size_roundings + 2) * std::fabs(size * quotient);
    return {bounded(new_m, m_error), bounded(new_v, v_error), bounded(new_w, w_error)};
}

void add_adam(std::vector<Case>& cases, DType type, bool decoupled, const Adam& a) {
    cases.push_back(
        {decoupled ? "adamw" : "adam", std::string(to_string(type)), a.text(), [=](Run& run) {
             const Layout layout = shifted(packed(a.sizes), a.shift);
             const Operand& master = run.in_place(DType::f32, layout, Values::unit, "master");
             const auto moment = [&](double scale) {
                 return [&run, scale](const Index&) { return scale * draw(run.random(), Values::unit, DType::f32); };
             };
             // Before the first update both moments are 0.
             const Operand& first = run.in_place(DType::f32, layout, moment(a.step == 1 ? 0.0 : 0.3), "first");
             const Operand& second = run.in_place(
                 DType::f32, layout, [&](const Index&) { return a.step == 1 ? 0 : run.random().uniform(0, 0.3); },
                 "second");
             const Operand& gradient = run.input(type, layout, a.gradient, "gradient");
             const bool skipped = a.skip > 0;
             const Operand& weights = a.shared  ? master
                                      : skipped ? run.in_place(type, layout, Values::unit, "weights")
                                                : run.output(type, layout, "weights");
             const Operand& skip = run.input(
                 DType::f32, packed({1}), [&](const Index&) { return std::fmax(a.skip, 0); }, "skip");
             const Operand& steps = run.input(
                 DType::i32, packed({1}), [&](const Index&) { return static_cast<double>(a.step); }, "steps");
             ops::AdamOptions options{.learning_rate = a.rate,
                                      .beta1 = a.beta1,
                                      .beta2 = a.beta2,
                                      .epsilon = a.epsilon,
                                      .weight_decay = a.decay};
             if (a.skip >= 0)
                 options.skip = skip.view();
             if (a.count == Count::device)
                 options.steps = steps.view();
             else
                 options.step = a.step;
             const auto update = decoupled ? ops::adamw : ops::adam;
             run.ran(update(run.queue(), weights.view(), master.view(), first.view(), second.view(), gradient.view(),
                            options));
             const auto judge = [&](const Operand& operand, Expected Update::*which) {
                 run.judge(operand, [&](const Index& i, std::int64_t) {
                     if (skipped)
                         return Expected::exactly(operand(i));
                     return update_of(a, decoupled, master(i), first(i), second(i), gradient(i)).*which;
                 });
             };
             judge(first, &Update::first);
             judge(second, &Update::second);
             judge(master, &Update::master);
             if (!a.shared)
                 run.judge(weights, [&](const Index& i, std::int64_t) { // the device's own master, rounded once
                     return Expected::exactly(skipped ? weights(i) : round_to(type, master.result_value(i)));
                 });
         }});
}

void add_count_step(std::vector<Case>& cases, std::int64_t before, double skip, const char* note) {
    cases.push_back({"count_step", "i32", fmt::format("{}{}", before, note), [=](Run& run) {
                         const Operand& steps = run.in_place(
                             DType::i32, shifted(packed({1}), 1),
                             [=](const Index&) { return static_cast<double>(before); }, "steps");
                         const Operand& flag = run.input(
                             DType::f32, packed({1}), [=](const Index&) { return skip; }, "skip");
                         std::optional<TensorView> given;
                         if (skip >= 0)
                             given = flag.view();
                         run.ran(ops::count_step(run.queue(), steps.view(), given));
                         run.judge(steps, [&](const Index&, std::int64_t) {
                             return Expected::exactly(static_cast<double>(skip > 0 ? before : before + 1));
                         });
                     }});
}

} // namespace

void add_adam_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const bool decoupled : {true, false}) {
            const auto add = [&](const Adam& a) { add_adam(cases, type, decoupled, a); };
            add({.sizes = {1009}});
            add({.sizes = {64, 256}, .step = 3, .decay = 0.01});
            add({.sizes = {33, 7}, .step = 2, .decay = 0.5});
            add({.sizes = {33, 7}, .step = 1, .decay = 0.01, .count = Count::device});
            add({.sizes = {1003}, .step = 1000, .count = Count::device});
            add({.sizes = {515}, .step = 1000000, .decay = 0.01, .count = Count::device, .skip = 0});
            add({.sizes = {515}, .step = 1000000});
            add({.sizes = {127}, .step = 5, .shift = 1});
            add({.sizes = {}, .step = 7});
            add({.sizes = {0}});
            add({.sizes = {65}, .step = 4, .skip = 0});
            add({.sizes = {65}, .step = 4, .skip = 1});
            add({.sizes = {300007}, .step = 20, .decay = 0.001});
            add({.sizes = {129}, .step = 9, .gradient = Values::risky, .note = " inf denormal"});
            add({.sizes = {133}, .step = 1, .gradient = Values::nearly, .note = " denormal"});
            add({.sizes = {77}, .step = 2, .count = Count::device, .beta1 = 0, .beta2 = 0, .note = " beta 0"});
            add({.sizes = {77}, .step = 6, .rate = 0.1, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 0.1, .note = " rough"});
            if (type == DType::f32)
                add({.sizes = {500}, .step = 8, .decay = 0.01, .shared = true});
        }
    add_count_step(cases, 0, -1, " first");
    add_count_step(cases, 41, 0, " flag 0");
    add_count_step(cases, 41, 1, " flag 1");
}

} // namespace devq::conformance
