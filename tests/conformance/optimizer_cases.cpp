#include "bounds.hpp"
#include "suite.hpp"
#include <cmath>
#include <devq/ops/optimizer.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Sgd {
    Dims sizes;
    double rate = 0.1, momentum = 0.9, decay = 0;
    std::int64_t shift = 0;
    bool shared = false; ///< weights is master itself
    double skip = -1;    ///< < 0: no flag
    Values gradient = Values::unit;
    const char* note = "";
    bool nesterov = false;

    std::string text() const {
        return fmt::format("{} rate {} momentum {} decay {}{}{}{}{}", shifted(packed(sizes), shift).text(), rate,
                           momentum, decay, nesterov ? " nesterov" : "", shared ? " shared" : "",
                           skip < 0    ? ""
                           : skip == 0 ? " flag 0"
                                       : " flag 1",
                           note);
    }
};

void add_sgd(std::vector<Case>& cases, DType type, const Sgd& s) {
    cases.push_back(
        {"sgd", std::string(to_string(type)), s.text(), [=](Run& run) {
             const Layout layout = shifted(packed(s.sizes), s.shift);
             const Operand& master = run.in_place(DType::f32, layout, Values::unit, "master");
             const Operand& velocity = run.in_place(DType::f32, layout, Values::unit, "velocity");
             const Operand& gradient = run.input(type, layout, s.gradient, "gradient");
             const bool skipped = s.skip > 0;
             // A skipped step writes nothing: weights then keep what they had, which need not be master's copy.
             const Operand& weights = s.shared  ? master
                                      : skipped ? run.in_place(type, layout, Values::unit, "weights")
                                                : run.output(type, layout, "weights");
             const Operand& skip = run.input(
                 DType::f32, packed({1}), [&](const Index&) { return std::fmax(s.skip, 0); }, "skip");
             ops::SgdOptions options;
             options.learning_rate = static_cast<float>(s.rate);
             options.momentum = static_cast<float>(s.momentum);
             options.weight_decay = static_cast<float>(s.decay);
             options.nesterov = s.nesterov;
             if (s.skip >= 0)
                 options.skip = skip.view();
             run.ran(ops::sgd(run.queue(), weights.view(), master.view(), velocity.view(), gradient.view(), options));

             const double rate = options.learning_rate, momentum = options.momentum, decay = options.weight_decay;
             const auto new_velocity = [&](const Index& i) {
                 const double reference = momentum * velocity(i) + gradient(i) + decay * master(i);
                 const double terms =
                     std::fabs(momentum * velocity(i)) + std::fabs(gradient(i)) + std::fabs(decay * master(i));
                 return Expected{reference, std::isfinite(reference) ? gamma(3) * terms : 0};
             };
             run.judge(velocity, [&](const Index& i, std::int64_t) {
                 return skipped ? Expected::exactly(velocity(i)) : new_velocity(i);
             });
             run.judge(master, [&](const Index& i, std::int64_t) {
                 if (skipped)
                     return Expected::exactly(master(i));
                 Expected v = new_velocity(i);
                 if (s.nesterov) { // v becomes g + momentum · v
                     const double terms =
                         std::fabs(gradient(i)) + std::fabs(decay * master(i)) + std::fabs(momentum * v.reference);
                     v = {gradient(i) + decay * master(i) + momentum * v.reference,
                          momentum * v.arithmetic * (1 + gamma(2)) + gamma(3) * terms};
                 }
                 const double reference = master(i) - rate * v.reference;
                 if (!std::isfinite(reference))
                     return Expected{reference};
                 return Expected{reference, rate * v.arithmetic * (1 + gamma(2)) +
                                                gamma(2) * (std::fabs(master(i)) + std::fabs(rate * v.reference))};
             });
             if (!s.shared)
                 run.judge(weights, [&](const Index& i, std::int64_t) { // the device's own master, rounded once
                     return Expected::exactly(skipped ? weights(i) : round_to(type, master.result_value(i)));
                 });
         }});
}

struct Unscale {
    Layout layout;
    double inverse_scale;
    Values values;
    const char* note = "";
    double found_before = 0;
};

void add_unscale(std::vector<Case>& cases, DType type, const Unscale& s, std::int64_t poisoned = -1,
                 double poison = 0) {
    cases.push_back(
        {"unscale", std::string(to_string(type)), fmt::format("{}{}", s.layout.text(), s.note), [=](Run& run) {
             std::int64_t number = 0;
             const Operand& g = run.in_place(
                 type, s.layout,
                 [&](const Index&) { return number++ == poisoned ? poison : draw(run.random(), s.values, type); },
                 "gradient");
             const Operand& inverse = run.input(
                 DType::f32, packed({1}), [&](const Index&) { return s.inverse_scale; }, "inverse scale");
             const Operand& found = run.in_place(
                 DType::f32, packed({1}), [&](const Index&) { return s.found_before; }, "found");
             run.ran(ops::unscale(run.queue(), g.view(), inverse.view(), found.view()));
             bool bad = false;
             run.judge(g, [&](const Index& i, std::int64_t) {
                 const double reference = g(i) * inverse({0});
                 bad = bad || !std::isfinite(g(i)) || !std::isfinite(round_to(type, reference));
                 return Expected{reference, std::isfinite(reference) ? epsilon * std::fabs(reference) : 0};
             });
             run.judge(found, [&](const Index&, std::int64_t) { return Expected::exactly(bad ? 1 : s.found_before); });
         }});
}

struct LossScale {
    double scale, good_steps, found, interval;
    const char* note;
};

void add_loss_scale(std::vector<Case>& cases, const LossScale& s) {
    cases.push_back({"update_loss_scale", "f32", s.note, [=](Run& run) {
                         const auto one = [&](double value, const char* name) -> const Operand& {
                             return run.in_place(
                                 DType::f32, packed({1}), [=](const Index&) { return value; }, name);
                         };
                         const Operand& scale = one(s.scale, "scale");
                         const Operand& inverse = run.output(DType::f32, packed({1}), "inverse scale");
                         const Operand& good = one(s.good_steps, "good steps");
                         const Operand& found = one(s.found, "found");
                         run.ran(ops::update_loss_scale(run.queue(), scale.view(), inverse.view(), good.view(),
                                                        found.view(), static_cast<float>(s.interval)));
                         double new_scale = s.scale, new_good = s.good_steps + 1;
                         if (s.found != 0) {
                             new_scale *= 0.5;
                             new_good = 0;
                         } else if (new_good >= s.interval) {
                             new_scale *= 2;
                             new_good = 0;
                         }
                         const auto expect = [&](const Operand& operand, double value) {
                             run.judge(operand, [=](const Index&, std::int64_t) { return Expected::exactly(value); });
                         };
                         expect(scale, new_scale);
                         expect(good, new_good);
                         expect(found, 0);
                         run.judge(inverse, [&](const Index&, std::int64_t) {
                             return Expected{1 / new_scale, roundings_of("reciprocal") * epsilon / new_scale};
                         });
                     }});
}

} // namespace

void add_optimizer_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        add_sgd(cases, type, {.sizes = {1009}});
        add_sgd(cases, type, {.sizes = {64, 256}});
        add_sgd(cases, type, {.sizes = {33, 7}, .momentum = 0});
        add_sgd(cases, type, {.sizes = {33, 7}, .momentum = 0.5, .decay = 0.01});
        add_sgd(cases, type, {.sizes = {127}, .rate = 0.5, .shift = 1});
        add_sgd(cases, type, {.sizes = {}});
        add_sgd(cases, type, {.sizes = {0}});
        add_sgd(cases, type, {.sizes = {65}, .skip = 0});
        add_sgd(cases, type, {.sizes = {65}, .skip = 1});
        add_sgd(cases, type, {.sizes = {1003}, .nesterov = true});
        add_sgd(cases, type, {.sizes = {33, 9}, .decay = 0.01, .nesterov = true});
        add_sgd(cases, type, {.sizes = {300007}, .decay = 0.001});
        add_sgd(cases, type, {.sizes = {129}, .gradient = Values::risky, .note = " inf denormal"});
        if (type == DType::f32)
            add_sgd(cases, type, {.sizes = {500}, .shared = true});

        constexpr double inverse = 1.0 / 1024;
        add_unscale(cases, type, {packed({1009}), inverse, Values::wide});
        add_unscale(cases, type, {packed({1009}), inverse, Values::wide, " NaN last"}, 1008, NAN);
        add_unscale(cases, type, {packed({1009}), inverse, Values::wide, " inf first"}, 0, INFINITY);
        add_unscale(cases, type, {packed({5000}), inverse, Values::wide, " -inf inside"}, 2600, -INFINITY);
        add_unscale(cases, type, {packed({70001}), inverse, Values::wide, " NaN inside"}, 50000, NAN);
        add_unscale(cases, type, {packed({33}), inverse, Values::wide, " found before", 1});
        add_unscale(cases, type, {packed({100}), 1e8, Values::huge, " grows"});
        add_unscale(cases, type, {gapped({13, 31}, 3), inverse, Values::nearly});
        add_unscale(cases, type, {swapped({13, 31}, 0, 1), inverse, Values::wide});
        add_unscale(cases, type, {shifted(packed({35}), 1), inverse, Values::wide});
        add_unscale(cases, type, {packed({}), 3, Values::wide});
        add_unscale(cases, type, {packed({0}), 3, Values::wide});
    }
    add_loss_scale(cases, {65536, 0, 0, 2000, "a good step"});
    add_loss_scale(cases, {65536, 1998, 0, 2000, "one before growth"});
    add_loss_scale(cases, {65536, 1999, 0, 2000, "growth"});
    add_loss_scale(cases, {65536, 1999, 1, 2000, "found at growth"});
    add_loss_scale(cases, {1, 7, 1, 10, "found at 1"});
    add_loss_scale(cases, {3, 0, 0, 1, "interval 1"});
}

} // namespace devq::conformance
