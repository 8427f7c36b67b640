#include "bounds.hpp"
#include "suite.hpp"
#include <algorithm>
#include <cmath>
#include <devq/ops/preprocess.hpp>
#include <fmt/format.h>
#include <map>

namespace devq::conformance {

namespace {

using ops::Resampling;

constexpr std::int64_t one = std::int64_t{1} << 40, half = one / 2; // positions count 2^-40 pixel

/// Where the outputs of an axis lie, as preprocess.hpp defines it; and what each is made from: pixels and their
/// weights, which add up to 1. `relative`: how far f32 weights may be off, relative to the largest pixel.
class Axis {
public:
    Axis(Resampling method, double begin, double end, std::int64_t size, std::int64_t count) : method_(method) {
        const auto within = [](double x, double missing) {
            return std::isnan(x) ? missing : std::clamp(x, -0x1p20, 0x1p20);
        };
        const double from = within(begin, 0), to = within(end, static_cast<double>(size));
        low_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(std::min(from, to))), 0, size - 1);
        high_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(std::max(from, to))), low_ + 1, size);
        const auto exact = static_cast<std::int64_t>(from * 0x1p40);
        step_ = (static_cast<std::int64_t>(to * 0x1p40) - exact) / count;
        first_ = exact + step_ / 2;
    }

    struct Taps {
        std::int64_t first = 0;
        std::vector<double> weights;
        double relative = 0;
    };
    const Taps& at(std::int64_t i) {
        const auto [found, added] = known_.try_emplace(i);
        if (added)
            found->second = make(i);
        return found->second;
    }

private:
    Taps make(std::int64_t i) const {
        const std::int64_t centre = std::clamp(first_ + i * step_, low_ * one, high_ * one);
        Taps taps;
        if (method_ == Resampling::nearest) {
            taps.first = std::min(centre + i + 1, high_ * one - 1) >> 40; // the step was cut off: see the kernel
            taps.weights = {1};
        } else if (method_ == Resampling::bilinear) {
            const std::int64_t at = std::clamp(centre - half, low_ * one, (high_ - 1) * one);
            const double part = static_cast<double>(at % one) / static_cast<double>(one);
            taps.first = at / one;
            taps.weights = {1 - part};
            if (taps.first + 1 < high_)
                taps.weights.push_back(part);
            else
                taps.weights[0] = 1;
            taps.relative = gamma(4); // of the part, a difference, a product, a sum
        } else {
            const std::int64_t wide = std::max(std::abs(step_), one);
            taps.first = std::max((centre - wide + half) >> 40, low_);
            const std::int64_t last = std::min((centre + wide + half) >> 40, high_);
            double total = 0;
            for (std::int64_t j = taps.first; j < last; ++j) {
                const double distance = static_cast<double>(j * one + half - centre) / static_cast<double>(wide);
                taps.weights.push_back(std::max(1 - std::fabs(distance), 0.0));
                total += taps.weights.back();
            }
            for (double& weight : taps.weights)
                weight /= total;
            // A weight before it is divided by their sum: 8 roundings in the distance, one in the difference.
            const auto n = static_cast<double>(taps.weights.size());
            taps.relative = 2 * 9 * epsilon * n / total + gamma(n + 8);
        }
        return taps;
    }

    Resampling method_;
    std::int64_t low_ = 0, high_ = 1, first_ = 0, step_ = 0;
    std::map<std::int64_t, Taps> known_;
};

struct Box {
    double y0, x0, y1, x1;
};

struct Preprocess {
    Layout in, out;
    Resampling method;
    std::vector<Box> boxes{};
    std::vector<std::int64_t> images{};
    std::vector<int> flip{};
    bool swap = false, normalise = true;
    const char* note = "";

    std::string text() const {
        return fmt::format("{} to {} {}{}{}{}{}{}", in.text(), out.text(), ops::to_string(method),
                           boxes.empty() ? "" : " boxes", images.empty() ? "" : " images", flip.empty() ? "" : " flip",
                           swap ? " bgr" : "", note);
    }
};

void add_preprocess(std::vector<Case>& cases, DType type, const Preprocess& p) {
    cases.push_back({"resize_normalize", std::string(to_string(type)), p.text(), [=](Run& run) {
                         const Operand& in = run.input(
                             DType::u8, p.in,
                             [&](const Index&) { return static_cast<double>(run.random().below(256)); }, "in");
                         const Operand& out = run.output(type, p.out, "out");
                         const std::int64_t count = p.out.sizes[0];
                         const auto at = [](const Index& i) { return static_cast<std::size_t>(i[0]); };
                         const Operand& boxes = run.input(
                             DType::f32, packed({p.boxes.empty() ? 0 : count, 4}),
                             [&](const Index& i) {
                                 const Box& box = p.boxes[at(i)];
                                 return i[1] == 0 ? box.y0 : i[1] == 1 ? box.x0 : i[1] == 2 ? box.y1 : box.x1;
                             },
                             "boxes");
                         const Operand& images = run.input(
                             DType::i32, packed({p.images.empty() ? 0 : count}),
                             [&](const Index& i) { return static_cast<double>(p.images[at(i)]); }, "images");
                         const Operand& flip = run.input(
                             DType::u8, packed({p.flip.empty() ? 0 : count}),
                             [&](const Index& i) { return static_cast<double>(p.flip[at(i)]); }, "flip");
                         ops::ResizeNormalizeOptions options;
                         options.method = p.method;
                         if (!p.boxes.empty())
                             options.boxes = boxes.view();
                         if (!p.images.empty())
                             options.images = images.view();
                         if (!p.flip.empty())
                             options.flip = flip.view();
                         options.swap_red_blue = p.swap;
                         if (p.normalise) {
                             options.mean = {0.485f, 0.456f, 0.406f, 0.5f};
                             options.std = {0.229f, 0.224f, 0.225f, -2.0f};
                         }
                         run.ran(ops::resize_normalize(run.queue(), out.view(), in.view(), options));

                         std::vector<Axis> down, across;
                         for (std::int64_t n = 0; n < count && p.out.elements() > 0; ++n) {
                             const auto side = [&](std::int64_t k, std::int64_t whole) {
                                 return p.boxes.empty() ? static_cast<double>(whole) : boxes({n, k});
                             };
                             const std::int64_t rows = p.in.sizes[1], columns = p.in.sizes[2];
                             down.emplace_back(p.method, side(0, 0), side(2, rows), rows, p.out.sizes[2]);
                             across.emplace_back(p.method, side(1, 0), side(3, columns), columns, p.out.sizes[3]);
                         }
                         run.judge(out, [&](const Index& i, std::int64_t) {
                             const std::size_t n = at(i);
                             const std::int64_t image = !p.images.empty()    ? p.images[n]
                                                        : p.in.sizes[0] == 1 ? 0
                                                                             : static_cast<std::int64_t>(n);
                             if (image < 0 || image >= p.in.sizes[0])
                                 return Expected{NAN};
                             const bool flipped = !p.flip.empty() && p.flip[n] != 0;
                             const auto c = static_cast<std::size_t>(i[1]);
                             const std::int64_t channel = p.swap && c < 3 ? 2 - i[1] : i[1];
                             const Axis::Taps& y = down[n].at(i[2]);
                             const Axis::Taps& x = across[n].at(flipped ? p.out.sizes[3] - 1 - i[3] : i[3]);
                             double value = 0, most = 0;
                             for (std::size_t j = 0; j < y.weights.size(); ++j)
                                 for (std::size_t k = 0; k < x.weights.size(); ++k) {
                                     const double pixel = in({image, y.first + static_cast<std::int64_t>(j),
                                                              x.first + static_cast<std::int64_t>(k), channel});
                                     value += y.weights[j] * x.weights[k] * pixel;
                                     most = std::max(most, pixel);
                                 }
                             const double scale = 1 / (255 * static_cast<double>(options.std[c])),
                                          offset = -static_cast<double>(options.mean[c]) / options.std[c];
                             const double off = most * (y.relative + x.relative + y.relative * x.relative);
                             return Expected{value * scale + offset, std::fabs(scale) * off * (1 + gamma(3)) +
                                                                         gamma(3) * std::fabs(value * scale) +
                                                                         gamma(2) * std::fabs(offset)};
                         });
                     }});
}

} // namespace

void add_preprocess_cases(std::vector<Case>& cases) {
    const std::vector<Box> boxes{{0, 0, 23, 31},      {3, 5, 19, 20},    {2.25, 1.5, 20.75, 30.125},
                                 {-6, -4, 30, 40},    {20, 25, 4, 2},    {7.3, 9.6, 7.9, 9.7},
                                 {5, 5, 5, 5},        {NAN, 3, 11, NAN}, {-1e30, 30, INFINITY, 33},
                                 {100, 200, 120, 230}};
    const std::vector<std::int64_t> images{0, 1, 2, 1, 0, -1, 2, 3, 1, 0};
    const std::vector<int> flip{0, 1, 0, 255, 0, 1, 1, 0, 1, 0};
    for (const DType type : storage_types)
        for (const Resampling method : {Resampling::bilinear_antialias, Resampling::bilinear, Resampling::nearest}) {
            const auto add = [&](const Preprocess& p) { add_preprocess(cases, type, p); };
            const auto plain = [&](const Dims& in, std::int64_t rows, std::int64_t columns) {
                add({.in = packed(in), .out = packed({in[0], in[3], rows, columns}), .method = method});
            };
            plain({2, 37, 53, 3}, 16, 21);
            plain({1, 64, 48, 1}, 32, 24);
            plain({3, 21, 17, 4}, 40, 50);
            plain({2, 19, 23, 3}, 19, 23);
            plain({1, 1, 1, 3}, 3, 5);
            plain({1, 13, 200, 1}, 1, 1);
            plain({2, 9, 7, 3}, 5, 0);
            plain({0, 9, 7, 3}, 5, 4);
            const Layout out = packed({10, 3, 11, 13});
            add({.in = packed({3, 23, 31, 3}),
                 .out = out,
                 .method = method,
                 .boxes = boxes,
                 .images = images,
                 .flip = flip,
                 .swap = true});
            add({.in = packed({1, 23, 31, 3}), .out = out, .method = method, .boxes = boxes, .normalise = false});
            add({.in = packed({3, 23, 31, 4}),
                 .out = channels_last({3, 4, 10, 17}),
                 .method = method,
                 .flip = {1, 0, 1},
                 .swap = true});
            add({.in = shifted(gapped({2, 23, 31, 3}, 5), 1),
                 .out = shifted(channels_last({2, 3, 9, 8}), 1),
                 .method = method});
            add({.in = stepped({2, 11, 17, 3}, 2), .out = stepped({2, 3, 9, 8}, 3), .method = method});
            add({.in = channels_last({2, 11, 17, 3}),
                 .out = gapped({2, 3, 9, 8}, 1),
                 .method = method,
                 .flip = {1, 1}});
        }
    // Rows that are too long for the buffer in local memory, and windows that are.
    for (const DType type : storage_types) {
        const auto wide = [&](const Dims& in, std::int64_t rows, std::int64_t columns, const std::vector<int>& flip) {
            add_preprocess(cases, type,
                           {.in = packed(in),
                            .out = packed({1, in[3], rows, columns}),
                            .method = Resampling::bilinear_antialias,
                            .flip = flip});
        };
        wide({1, 5, 2300, 3}, 2, 70, {});
        wide({1, 5, 2300, 3}, 2, 70, {1});
        wide({1, 4, 2100, 3}, 3, 2500, {});
        wide({1, 5, 4000, 4}, 3, 4, {1});
        wide({1, 3, 7000, 1}, 2, 3, {});
        add_preprocess(cases, type,
                       {.in = packed({1, 5, 2300, 3}),
                        .out = packed({2, 3, 2, 40}),
                        .method = Resampling::bilinear_antialias,
                        .boxes = {{0, 2300, 5, 0}, {1, 3, 4.5, 3}},
                        .note = " backwards"});
    }
}

} // namespace devq::conformance
