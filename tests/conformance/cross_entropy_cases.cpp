#include "bounds.hpp"
#include "softmax_reference.hpp"
#include "suite.hpp"
#include <cmath>
#include <devq/ops/cross_entropy.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

enum class Labels { inside, some_outside, some_ignored, all_ignored, ignored_and_outside };
enum class Count { none, written, divides };

constexpr std::int32_t ignored = -100;

struct Shape {
    std::int64_t rows, classes;
    std::int64_t gap = 0, shift = 0;
    bool gradient = true, factor = false, in_place = false;
    Labels labels = Labels::inside;
    float smoothing = 0;
    int weight_stride = 0; ///< 0: no weights
    Count count = Count::none;
    Values values = Values::moderate;
    const char* note = "";

    std::string text() const {
        constexpr const char* label_notes[] = {"", " labels outside", " ignored", " all ignored",
                                               " ignored and outside"};
        constexpr const char* count_notes[] = {"", " count", " divided"};
        std::string text = fmt::format("{}x{}", rows, classes);
        const auto add = [&](bool present, const std::string& what) { text += present ? what : ""; };
        add(gap > 0, fmt::format(" gap{}", gap));
        add(shift > 0, fmt::format(" off{}", shift));
        text += gradient ? " gradient" : " loss only";
        add(factor, " factor");
        add(in_place, " in place");
        text += label_notes[static_cast<int>(labels)];
        add(smoothing > 0, fmt::format(" smoothing {}", smoothing));
        add(weight_stride > 0, fmt::format(" weights{}", weight_stride));
        text += count_notes[static_cast<int>(count)];
        return text + note;
    }
    bool ignores() const {
        return labels == Labels::some_ignored || labels == Labels::all_ignored || labels == Labels::ignored_and_outside;
    }
};

double draw_label(Random& random, const Shape& s, std::int64_t row) {
    const bool outside = (s.labels == Labels::some_outside || s.labels == Labels::ignored_and_outside) && row % 3 == 1;
    if (outside)
        return row % 2 == 0 ? -1.0 : static_cast<double>(s.classes);
    if (s.labels == Labels::all_ignored || (s.ignores() && row % 4 == 2))
        return ignored;
    return static_cast<double>(random.below(s.classes));
}

/// The loss and its gradient in f64 from the inputs as stored, for one Shape.
class Reference {
public:
    Reference(const Shape& s, const Operand& x, const Operand& labels, const Operand* weights, double scale)
        : s_(s), x_(x), labels_(labels), weights_(weights), rows_(x, 1), scale_(scale) {
        smooth_ = static_cast<double>(s.smoothing) / static_cast<double>(s.classes);
        for (std::int64_t c = 0; c < s.classes; ++c)
            smoothed_ += s.smoothing > 0 ? smooth_ * weight(c) : 0;
        for (std::int64_t row = 0; row < s.rows; ++row)
            if (!skipped(row))
                count_ += inside(row) ? weight(label(row)) : NAN;
        if (s.count == Count::divides) {
            scale_ /= count_;
            scale_relative_ = count_relative() + roundings_of("divide") * epsilon;
        }
    }

    Expected count() const { return {count_, count_relative() * std::fabs(count_)}; }

    Expected loss(std::int64_t row) {
        if (skipped(row))
            return {0};
        if (!inside(row))
            return {NAN};
        const SoftmaxRows::Row& r = rows_.row({row, 0});
        const double hot = this->hot(row), all = hot + smoothed_;
        const double log_sum = std::log(r.sum), distance = r.max - x_({row, label(row)});
        double distances = 0;
        for (std::int64_t c = 0; s_.smoothing > 0 && c < s_.classes; ++c)
            distances += smooth_ * weight(c) * (r.max - x_({row, c}));
        const double reference = all * log_sum + hot * distance + distances;
        if (!std::isfinite(reference))
            return {reference};
        return {reference,
                all * (r.sum_relative / (1 - r.sum_relative) + roundings_of("log") * epsilon * std::fabs(log_sum)) +
                    gamma(roundings()) * (all * std::fabs(log_sum) + hot * distance + distances)};
    }

    Expected gradient(const Index& at) {
        if (skipped(at[0]))
            return {0};
        if (!inside(at[0]))
            return {NAN};
        const Expected p = rows_.probability(at);
        const double all = hot(at[0]) + smoothed_, is = at[1] == label(at[0]) ? hot(at[0]) : 0,
                     share = s_.smoothing > 0 ? smooth_ * weight(at[1]) : 0;
        const double reference = (p.reference * all - share - is) * scale_;
        if (!std::isfinite(reference))
            return {reference};
        // On top of the probability's own error: the factors, up to two subtractions, up to three factors of scale.
        const double scale = std::fabs(scale_) * (1 + scale_relative_);
        const double plain =
            s_.smoothing > 0 || weights_ != nullptr ? gamma(roundings()) * scale * (p.reference * all + share + is) : 0;
        return {reference, p.arithmetic * all * scale * (1 + gamma(3)) + plain +
                               (gamma(3) + scale_relative_) * std::fabs(reference) + function_floor};
    }

private:
    std::int64_t label(std::int64_t row) const { return static_cast<std::int64_t>(labels_({row})); }
    bool skipped(std::int64_t row) const { return s_.ignores() && label(row) == ignored; }
    bool inside(std::int64_t row) const { return label(row) >= 0 && label(row) < s_.classes; }
    double weight(std::int64_t c) const { return weights_ != nullptr ? (*weights_)({c}) : 1; }
    double hot(std::int64_t row) const { return (1 - static_cast<double>(s_.smoothing)) * weight(label(row)); }
    /// On a term's longest way into the loss: x - max, the products, the sums.
    double roundings() const {
        return s_.smoothing > 0 ? static_cast<double>(s_.classes) + 6 : weights_ != nullptr ? 3 : 2;
    }
    double count_relative() const { return weights_ != nullptr ? gamma(static_cast<double>(s_.rows)) : 0; }

    const Shape& s_;
    const Operand& x_;
    const Operand& labels_;
    const Operand* weights_;
    SoftmaxRows rows_;
    double scale_, scale_relative_ = 0, smooth_ = 0, smoothed_ = 0, count_ = 0;
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back(
        {"softmax_cross_entropy", std::string(to_string(type)), s.text(), [=](Run& run) {
             const Layout matrix = shifted(gapped({s.rows, s.classes}, s.gap), s.shift);
             const Operand& x = s.in_place ? run.in_place(type, matrix, s.values, "logits and gradient")
                                           : run.input(type, matrix, s.values, "logits");
             const Operand& labels = run.input(
                 DType::i32, packed({s.rows}), [&](const Index& i) { return draw_label(run.random(), s, i[0]); },
                 "labels");
             const Operand& factor = run.input(
                 DType::f32, packed({1}), [](const Index&) { return 1024.0; }, "factor");
             const Operand& loss = run.output(DType::f32, shifted(packed({s.rows}), s.shift), "loss");
             ops::CrossEntropyOptions options;
             options.scale = s.count == Count::divides ? 1.0f : 1.0f / static_cast<float>(s.rows);
             options.label_smoothing = s.smoothing;
             if (s.ignores())
                 options.ignore_label = ignored;
             if (s.factor)
                 options.scale_factor = factor.view();
             const Operand* gradient = nullptr;
             if (s.gradient) {
                 gradient = s.in_place ? &x : &run.output(type, matrix, "gradient");
                 options.gradient = gradient->view();
             }
             const Operand* weights = nullptr;
             if (s.weight_stride > 0) {
                 weights = &run.input(
                     DType::f32, stepped({s.classes}, s.weight_stride),
                     [&](const Index&) { return run.random().uniform(0.25, 2); }, "class_weights");
                 options.class_weights = weights->view();
             }
             const Operand* count = nullptr;
             if (s.count != Count::none) {
                 count = &run.output(DType::f32, packed({1}), "count");
                 options.count = count->view();
                 options.divide_by_count = s.count == Count::divides;
             }
             run.ran(ops::softmax_cross_entropy(run.queue(), loss.view(), x.view(), labels.view(), options));
             Reference reference(s, x, labels, weights, static_cast<double>(options.scale) * (s.factor ? 1024.0 : 1.0));
             run.judge(loss, [&](const Index& i, std::int64_t) { return reference.loss(i[0]); });
             if (count != nullptr)
                 run.judge(*count, [&](const Index&, std::int64_t) { return reference.count(); });
             if (gradient != nullptr)
                 run.judge(*gradient, [&](const Index& i, std::int64_t) { return reference.gradient(i); });
         }});
}

} // namespace

void add_cross_entropy_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        const auto with = [&](const Shape& s) { add(cases, type, s); };
        with({.rows = 128, .classes = 10});
        with({.rows = 128, .classes = 10, .factor = true});
        with({.rows = 37, .classes = 10, .gradient = false});
        with({.rows = 5, .classes = 1000});
        with({.rows = 3, .classes = 4099, .factor = true});
        with({.rows = 65, .classes = 1});
        with({.rows = 1, .classes = 2});
        with({.rows = 300, .classes = 3});
        with({.rows = 17, .classes = 33, .gap = 3, .shift = 1});
        with({.rows = 29, .classes = 19, .factor = true, .in_place = true});
        with({.rows = 29, .classes = 19, .gap = 5, .in_place = true});
        with({.rows = 25, .classes = 13, .labels = Labels::some_outside});
        with({.rows = 25, .classes = 13, .gradient = false, .labels = Labels::some_outside});
        with({.rows = 25, .classes = 13, .labels = Labels::some_outside, .smoothing = 0.1f, .weight_stride = 1});
        with({.rows = 41, .classes = 13, .labels = Labels::some_ignored});
        with({.rows = 41, .classes = 13, .labels = Labels::some_ignored, .count = Count::written});
        with({.rows = 41, .classes = 35, .factor = true, .labels = Labels::some_ignored, .count = Count::divides});
        with({.rows = 300, .classes = 5, .in_place = true, .labels = Labels::some_ignored, .count = Count::divides});
        with({.rows = 41, .classes = 13, .labels = Labels::some_ignored, .weight_stride = 2, .count = Count::divides});
        with({.rows = 23, .classes = 17, .labels = Labels::ignored_and_outside, .count = Count::divides});
        with({.rows = 9, .classes = 17, .labels = Labels::all_ignored, .count = Count::divides});
        with({.rows = 0, .classes = 17, .count = Count::written});
        with({.rows = 33, .classes = 10, .smoothing = 0.1f});
        with({.rows = 4, .classes = 1003, .smoothing = 0.25f, .weight_stride = 1});
        with({.rows = 17, .classes = 33, .gap = 3, .shift = 1, .smoothing = 0.1f, .weight_stride = 3});
        with({.rows = 33, .classes = 10, .weight_stride = 1});
        with({.rows = 19, .classes = 21, .smoothing = 1});
        with({.rows = 33,
              .classes = 19,
              .factor = true,
              .in_place = true,
              .labels = Labels::some_ignored,
              .smoothing = 0.1f,
              .weight_stride = 1,
              .count = Count::divides});
        with({.rows = 33, .classes = 17, .values = Values::wide, .note = " wide"});
        with({.rows = 64, .classes = 29, .values = Values::risky, .note = " inf denormal"});
        with({.rows = 64, .classes = 29, .values = Values::special, .note = " special"});
        with({.rows = 8, .classes = 12, .values = Values::equal, .note = " equal"});
        with({.rows = 8, .classes = 12, .values = Values::minus_infinity, .note = " -inf"});
        with({.rows = 64, .classes = 29, .smoothing = 0.1f, .values = Values::risky, .note = " inf denormal"});
        with(
            {.rows = 64, .classes = 29, .labels = Labels::some_ignored, .values = Values::special, .note = " special"});
    }
}

} // namespace devq::conformance
