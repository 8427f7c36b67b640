#include "bounds.hpp"
#include "suite.hpp"
#include <cmath>
#include <devq/ops/batch_norm.hpp>
#include <fmt/format.h>
#include <vector>

namespace devq::conformance {

namespace {

constexpr double plain_epsilon = 1e-5;

/// A channel's sums in f64.
struct Channel {
    double count = 0, mean = 0, variance = 0; ///< biased
    double spread = 0;                        ///< Σ|x - mean| / n
    double size = 0;                          ///< Σ|x| / n
};

std::vector<Channel> channels_of(const Operand& x) {
    std::vector<Channel> channels(static_cast<std::size_t>(x.sizes()[1]));
    const auto each = [&](auto&& see) {
        for_each_index(x.sizes(),
                       [&](const Index& i, std::int64_t) { see(channels[static_cast<std::size_t>(i[1])], x(i)); });
    };
    each([](Channel& c, double value) {
        c.count += 1;
        c.mean += value;
        c.size += std::fabs(value);
    });
    for (Channel& c : channels) {
        c.mean /= c.count;
        c.size /= c.count;
    }
    each([](Channel& c, double value) {
        c.variance += (value - c.mean) * (value - c.mean);
        c.spread += std::fabs(value - c.mean);
    });
    for (Channel& c : channels) {
        c.variance /= c.count;
        c.spread /= c.count;
    }
    return channels;
}

/// How far a channel's first mean may be off, by a sum in any order and a division.
double first_mean_error(const Channel& c) { return gamma(c.count + 6) * c.size; }

/// The second look corrects it: what is left are the roundings of the differences' sum and of the result.
Expected mean_of(const Channel& c) {
    const double around = c.spread + first_mean_error(c);
    return {c.mean, 2 * epsilon * (std::fabs(c.mean) + around) + gamma(c.count + 6) * around};
}

/// Of the sum of squares about the first mean, corrected by that mean's error.
double variance_error(const Channel& c) {
    const double off = first_mean_error(c);
    return gamma(c.count + 12) * (c.variance + 3 * off * off);
}

/// 1 / √(variance + added), of a variance that is off by `error`.
Expected inverse_of(double variance, double error, double added) {
    const double sum = variance + added, value = 1 / std::sqrt(sum);
    if (!(error < sum / 2))
        return {value, INFINITY}; // nothing but noise
    return {value, value * (0.75 * error / sum + (roundings_of("rsqrt") + 1) * epsilon)};
}

/// (x - mean) · inverse · gamma + beta, of a mean and an inverse that are off.
Expected normalised(double x, const Expected& mean, const Expected& inverse, double scale, double shift) {
    const double distance = x - mean.reference, value = distance * inverse.reference * scale;
    const double reference = value + shift;
    if (!std::isfinite(reference) || !std::isfinite(inverse.arithmetic))
        return std::isfinite(reference) ? Expected::anything() : Expected{reference};
    const double slope = std::fabs(inverse.reference * scale) + std::fabs(inverse.arithmetic * scale);
    return {reference, slope * mean.arithmetic + std::fabs(distance * scale) * inverse.arithmetic +
                           gamma(4) * (std::fabs(value) + std::fabs(shift) + slope * mean.arithmetic) + function_floor};
}

struct Shape {
    Layout in;
    Layout out{};
    bool gamma = true, beta = true;
    Values values = Values::moderate;
    const char* note = "";
    double offset = 0; ///< added to every value: a mean far larger than the deviation
    bool in_place = false;
    bool running = true;

    std::string text() const {
        return fmt::format("{}{}{}{}{}{}{}", in.text(),
                           out.note == in.note ? ""
                           : out.note.empty()  ? " out packed"
                                               : " out" + out.note,
                           gamma ? "" : " no gamma", beta ? "" : " no beta", running ? "" : " no running",
                           in_place ? " in place" : "", note);
    }
    Dims channels() const { return Dims{in.sizes[1]}; }
};

const Operand& drawn(Run& run, DType type, const Layout& layout, const Shape& s, const char* name) {
    const auto value = [&](const Index&) { return s.offset + draw(run.random(), s.values, type); };
    return s.in_place ? run.in_place(type, layout, value, name) : run.input(type, layout, value, name);
}

struct Affine {
    const Operand *gamma, *beta;
    double scale(const Index& i) const { return gamma ? (*gamma)({i[1]}) : 1; }
    double shift(const Index& i) const { return beta ? (*beta)({i[1]}) : 0; }
    ops::BatchNormOptions options() const {
        ops::BatchNormOptions options;
        if (gamma)
            options.gamma = gamma->view();
        if (beta)
            options.beta = beta->view();
        return options;
    }
};
Affine affine(Run& run, const Shape& s) {
    return {s.gamma ? &run.input(DType::f32, packed(s.channels()), Values::unit, "gamma") : nullptr,
            s.beta ? &run.input(DType::f32, packed(s.channels()), Values::unit, "beta") : nullptr};
}

Case inference(DType type, const Shape& s) {
    return {"batch_norm", std::string(to_string(type)), s.text(), [=](Run& run) {
                const Operand& x = drawn(run, type, s.in, s, "in");
                const Operand& y = s.in_place ? x : run.output(type, s.out, "out");
                const Operand& mean = run.input(DType::f32, packed(s.channels()), Values::moderate, "mean");
                const Operand& variance = run.input(DType::f32, packed(s.channels()), Values::positive, "variance");
                const Affine a = affine(run, s);
                run.ran(ops::batch_norm(run.queue(), y.view(), x.view(), mean.view(), variance.view(), a.options()));
                run.judge(y, [&](const Index& i, std::int64_t) {
                    return normalised(x(i), {mean({i[1]})}, inverse_of(variance({i[1]}), 0, plain_epsilon), a.scale(i),
                                      a.shift(i));
                });
            }};
}

Case training(DType type, const Shape& s) {
    return {"batch_norm_training", std::string(to_string(type)), s.text(), [=](Run& run) {
                const Operand& x = drawn(run, type, s.in, s, "in");
                const Operand& y = s.in_place ? x : run.output(type, s.out, "out");
                const Operand& mean = run.output(DType::f32, packed(s.channels()), "mean");
                const Operand& inverse = run.output(DType::f32, packed(s.channels()), "inverse_deviation");
                const Affine a = affine(run, s);
                ops::BatchNormTraining options;
                static_cast<ops::BatchNormOptions&>(options) = a.options();
                const Operand *running_mean = nullptr, *running_variance = nullptr;
                constexpr double momentum = 0.125;
                options.momentum = static_cast<float>(momentum);
                if (s.running) {
                    running_mean = &run.in_place(DType::f32, packed(s.channels()), Values::moderate, "running_mean");
                    running_variance =
                        &run.in_place(DType::f32, packed(s.channels()), Values::positive, "running_variance");
                    options.running_mean = running_mean->view();
                    options.running_variance = running_variance->view();
                }
                run.ran(
                    ops::batch_norm_training(run.queue(), y.view(), x.view(), mean.view(), inverse.view(), options));
                const std::vector<Channel> channels = channels_of(x);
                const auto of = [&](std::int64_t c) { return channels[static_cast<std::size_t>(c)]; };
                const auto expected_inverse = [&](std::int64_t c) {
                    return inverse_of(of(c).variance, variance_error(of(c)), plain_epsilon);
                };
                run.judge(mean, [&](const Index& i, std::int64_t) { return mean_of(of(i[0])); });
                run.judge(inverse, [&](const Index& i, std::int64_t) { return expected_inverse(i[0]); });
                run.judge(y, [&](const Index& i, std::int64_t) {
                    return normalised(x(i), mean_of(of(i[1])), expected_inverse(i[1]), a.scale(i), a.shift(i));
                });
                if (!s.running)
                    return;
                const auto mixed = [&](double old, const Expected& now) {
                    const double kept = (1 - momentum) * old, added = momentum * now.reference;
                    return Expected{kept + added,
                                    momentum * now.arithmetic + gamma(3) * (std::fabs(kept) + std::fabs(added))};
                };
                run.judge(*running_mean,
                          [&](const Index& i, std::int64_t) { return mixed((*running_mean)(i), mean_of(of(i[0]))); });
                run.judge(*running_variance, [&](const Index& i, std::int64_t) {
                    const Channel& c = channels[static_cast<std::size_t>(i[0])];
                    const double unbiased = c.count / (c.count - 1);
                    return mixed((*running_variance)(i),
                                 {c.variance * unbiased, (variance_error(c) + gamma(8) * c.variance) * unbiased});
                });
            }};
}

Case backward(DType type, const Shape& s) {
    return {"batch_norm_backward", std::string(to_string(type)), s.text(), [=](Run& run) {
                Shape apart = s;
                apart.in_place = false;
                const Operand& x = drawn(run, type, s.in, apart, "in");
                const Operand& g = s.in_place ? run.in_place(type, s.in, Values::unit, "gradients")
                                              : run.input(type, s.in, Values::unit, "out_gradient");
                const Operand& dx = s.in_place ? g : run.output(type, s.out, "in_gradient");
                const std::vector<Channel> channels = channels_of(x);
                const auto of = [&](const Index& i) { return channels[static_cast<std::size_t>(i[0])]; };
                const Operand& mean = run.input(
                    DType::f32, packed(s.channels()), [&](const Index& i) { return of(i).mean; }, "mean");
                const Operand& inverse = run.input(
                    DType::f32, packed(s.channels()),
                    [&](const Index& i) { return 1 / std::sqrt(of(i).variance + plain_epsilon); }, "inverse_deviation");
                const Operand& dgamma = run.output(DType::f32, packed(s.channels()), "gamma_gradient");
                const Operand& dbeta = run.output(DType::f32, packed(s.channels()), "beta_gradient");
                const Affine a = affine(run, s);
                run.ran(ops::batch_norm_backward(run.queue(), dx.view(), dgamma.view(), dbeta.view(), g.view(),
                                                 x.view(), mean.view(), inverse.view(), a.options().gamma));
                struct Sums {
                    double beta = 0, beta_terms = 0, gamma = 0, gamma_terms = 0;
                };
                std::vector<Sums> sums(channels.size());
                const auto hat = [&](const Index& i) { return (x(i) - mean({i[1]})) * inverse({i[1]}); };
                for_each_index(x.sizes(), [&](const Index& i, std::int64_t) {
                    Sums& sum = sums[static_cast<std::size_t>(i[1])];
                    sum.beta += g(i);
                    sum.beta_terms += std::fabs(g(i));
                    sum.gamma += g(i) * hat(i);
                    sum.gamma_terms += std::fabs(g(i) * hat(i));
                });
                const double n = channels.empty() ? 0 : channels[0].count;
                const auto beta_of = [&](std::int64_t c) {
                    const Sums& sum = sums[static_cast<std::size_t>(c)];
                    return Expected{sum.beta, gamma(n) * sum.beta_terms};
                };
                const auto gamma_of = [&](std::int64_t c) {
                    const Sums& sum = sums[static_cast<std::size_t>(c)];
                    return Expected{sum.gamma, gamma(n + 3) * sum.gamma_terms};
                };
                run.judge(dbeta, [&](const Index& i, std::int64_t) { return beta_of(i[0]); });
                run.judge(dgamma, [&](const Index& i, std::int64_t) { return gamma_of(i[0]); });
                run.judge(dx, [&](const Index& i, std::int64_t) {
                    const Expected beta = beta_of(i[1]), product = gamma_of(i[1]);
                    const double slope = inverse({i[1]}) * a.scale(i), x_hat = hat(i);
                    const double terms =
                        std::fabs(g(i)) + std::fabs(beta.reference) / n + std::fabs(x_hat * product.reference) / n;
                    const double off = beta.arithmetic / n + std::fabs(x_hat) * product.arithmetic / n;
                    return Expected{slope * (g(i) - beta.reference / n - x_hat * product.reference / n),
                                    std::fabs(slope) * (off + gamma(16) * (terms + off)) + function_floor};
                });
            }};
}

void add(std::vector<Case>& cases, DType type, Shape s) {
    if (s.out.sizes.rank() == 0)
        s.out = s.in;
    cases.push_back(inference(type, s));
    if (s.in.elements() > 0 || s.in.sizes[1] == 0)
        cases.push_back(training(type, s));
    if (s.values != Values::special && s.values != Values::risky)
        cases.push_back(backward(type, s));
}

} // namespace

void add_batch_norm_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        add(cases, type, {.in = packed({5, 3, 4, 4})});
        add(cases, type, {.in = packed({33, 17}), .out = {}});
        add(cases, type, {.in = packed({4, 65, 7}), .gamma = false});
        add(cases, type, {.in = packed({2, 1, 33, 35}), .beta = false});
        add(cases, type, {.in = packed({3, 2, 2, 3, 5}), .gamma = false, .beta = false});
        add(cases, type, {.in = packed({1, 40, 19, 1})});
        add(cases, type, {.in = packed({2, 3, 1, 2, 3, 1, 2, 2})});
        add(cases, type, {.in = packed({3, 0, 4, 4})});
        add(cases, type, {.in = channels_last({3, 21, 5, 7})});
        add(cases, type, {.in = channels_last({2, 64, 9, 3}), .out = packed({2, 64, 9, 3})});
        add(cases, type, {.in = packed({7, 33, 5}), .in_place = true});
        add(cases, type, {.in = shifted(gapped({4, 9, 29}, 3), 1)});
        add(cases, type, {.in = stepped({4, 5, 37}, 2), .out = gapped({4, 5, 37}, 1), .running = false});
        add(cases, type, {.in = packed({6, 2, 20, 21}), .values = Values::unit, .note = " mean 500", .offset = 500});
        add(cases, type,
            {.in = channels_last({6, 18, 20, 3}), .values = Values::unit, .note = " mean 500", .offset = 500});
        add(cases, type, {.in = packed({4, 3, 33}), .values = Values::equal, .note = " equal"});
        add(cases, type, {.in = packed({9, 4, 17}), .values = Values::wide, .note = " wide"});
        add(cases, type, {.in = packed({9, 4, 17}), .values = Values::nearly, .note = " denormal", .running = false});
        cases.push_back(inference(
            type,
            {.in = packed({5, 3, 40}), .out = packed({5, 3, 40}), .values = Values::special, .note = " special"}));
        cases.push_back(inference(type, {.in = packed({0, 3, 4}), .out = packed({0, 3, 4})}));
    }
}

} // namespace devq::conformance
