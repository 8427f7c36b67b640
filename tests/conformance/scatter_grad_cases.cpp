// Gather, embedding, scatter_add and scan are linear: the gradient of each is another of them.
#include "bounds.hpp"
#include "cases.hpp"
#include "grad.hpp"
#include <devq/ops/gather.hpp>
#include <devq/ops/scan.hpp>
#include <devq/ops/scatter.hpp>
#include <fmt/format.h>
#include <map>

namespace devq::conformance {

namespace {

const Operand& indices_of(Run& run, const Layout& layout, std::int64_t available) {
    return run.input(
        DType::i32, layout, [=, &run](const Index&) { return static_cast<double>(run.random().below(available)); },
        "indices");
}

/// The sizes of terms that come to each place, for bounds.
class Terms {
public:
    void add(const Index& to, double term) {
        Entry& entry = entries_[to];
        entry.count++;
        entry.sum += std::fabs(term);
    }
    double bound(const Index& at) const {
        const auto found = entries_.find(at);
        return found == entries_.end() ? 0 : gamma(static_cast<double>(found->second.count)) * found->second.sum;
    }

private:
    struct Entry {
        std::int64_t count = 0;
        double sum = 0;
    };
    std::map<Index, Entry> entries_;
};

/// x gathered along `axis`: its gradient is scatter_add of the result's.
void add_gather(std::vector<Case>& cases, DType type, const Layout& in, const Layout& out, const Layout& indices,
                int axis) {
    cases.push_back({"scatter_add", std::string(to_string(type)),
                     fmt::format("{} of {} by {} axis {}", in.text(), out.text(), indices.text(), axis), [=](Run& run) {
                         const auto along = static_cast<std::size_t>(axis);
                         const Operand& x = run.input(type, in, Values::unit, "x");
                         const Operand& g = run.input(type, out, Values::unit, "out_gradient");
                         const Operand& picks = indices_of(run, indices, in.sizes[axis]);
                         const Operand& dx = run.in_place(
                             type, in, [](const Index&) { return 0.0; }, "gradient");
                         run.ran(ops::scatter_add(run.queue(), dx.view(), g.view(), picks.view(), axis));
                         const auto source = [&](Index i) {
                             i[along] =
                                 static_cast<std::int64_t>(picks(broadcast_index(i, out.sizes.rank(), indices.sizes)));
                             return i;
                         };
                         Terms terms;
                         for_each_index(out.sizes, [&](const Index& i, std::int64_t) { terms.add(source(i), g(i)); });
                         judge_gradient(
                             run, dx, x,
                             [&](const Point& at, LossSum& loss) {
                                 for_each_index(out.sizes, [&](const Index& i, std::int64_t) {
                                     loss.add(g(i) * at(x, source(i)));
                                 });
                             },
                             [&](const Index& i, double) { return terms.bound(i); });
                     }});
}

/// x scattered along `axis`: its gradient is gather of the result's.
void add_scatter(std::vector<Case>& cases, DType type, const Layout& in, const Layout& out, int axis) {
    cases.push_back({"gather", std::string(to_string(type)),
                     fmt::format("{} of {} axis {}", in.text(), out.text(), axis), [=](Run& run) {
                         const Operand& x = run.input(type, in, Values::unit, "x");
                         const Operand& g = run.input(type, out, Values::unit, "out_gradient");
                         const Operand& picks = indices_of(run, packed(in.sizes), out.sizes[axis]);
                         const Operand& dx = run.output(type, in, "gradient");
                         run.ran(ops::gather(run.queue(), dx.view(), g.view(), picks.view(), axis));
                         judge_gradient(
                             run, dx, x,
                             [&](const Point& at, LossSum& loss) {
                                 for_each_index(in.sizes, [&](const Index& i, std::int64_t) {
                                     Index to = i;
                                     to[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(picks(i));
                                     loss.add(g(to) * at(x, i));
                                 });
                             },
                             [](const Index&, double) { return 0.0; });
                     }});
}

void add_embedding(std::vector<Case>& cases, DType type, const Layout& table, const Layout& indices,
                   const Layout& out) {
    cases.push_back({"embedding_backward", std::string(to_string(type)),
                     fmt::format("{} of {}", table.text(), out.text()), [=](Run& run) {
                         const Operand& x = run.input(type, table, Values::unit, "table");
                         const Operand& g = run.input(type, out, Values::unit, "out_gradient");
                         const Operand& picks = indices_of(run, indices, table.sizes[0]);
                         const Operand& dx = run.output(type, table, "gradient");
                         run.ran(ops::embedding_backward(run.queue(), dx.view(), g.view(), picks.view()));
                         const auto last = static_cast<std::size_t>(indices.sizes.rank());
                         const auto source = [&](Index i) {
                             const std::int64_t column = i[last];
                             i[last] = 0;
                             return Index{static_cast<std::int64_t>(picks(i)), column};
                         };
                         Terms terms;
                         for_each_index(out.sizes, [&](const Index& i, std::int64_t) { terms.add(source(i), g(i)); });
                         judge_gradient(
                             run, dx, x,
                             [&](const Point& at, LossSum& loss) {
                                 for_each_index(out.sizes, [&](const Index& i, std::int64_t) {
                                     loss.add(g(i) * at(x, source(i)));
                                 });
                             },
                             [&](const Index& i, double) { return terms.bound(i); });
                     }});
}

/// The gradient of a scan is the scan of the result's from the other end.
void add_scan(std::vector<Case>& cases, DType type, std::int64_t rows, std::int64_t length, bool exclusive) {
    cases.push_back(
        {"scan", std::string(to_string(type)), fmt::format("{}x{}{}", rows, length, exclusive ? " exclusive" : ""),
         [=](Run& run) {
             const Layout matrix = packed({rows, length});
             const Operand& x = run.input(type, matrix, Values::unit, "x");
             const Operand& g = run.input(type, matrix, Values::unit, "out_gradient");
             const Operand& dx = run.output(type, matrix, "gradient");
             run.ran(ops::scan(run.queue(), dx.view(), g.view(), {.axis = 1, .exclusive = exclusive, .reverse = true}));
             judge_gradient(
                 run, dx, x,
                 [&](const Point& at, LossSum& loss) {
                     for (std::int64_t row = 0; row < rows; ++row)
                         for (std::int64_t i = 0; i < length; ++i)
                             for (std::int64_t j = 0; j < (exclusive ? i : i + 1); ++j)
                                 loss.add(g({row, i}) * at(x, {row, j}));
                 },
                 [&](const Index& index, double) {
                     double sum = 0;
                     for (std::int64_t i = index[1]; i < length; ++i)
                         sum += std::fabs(g({index[0], i}));
                     return gamma(static_cast<double>(length - index[1])) * sum;
                 });
         }});
}

} // namespace

void add_scatter_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        add_gather(cases, type, packed({5, 7}), packed({5, 12}), packed({5, 12}), 1);
        add_gather(cases, type, packed({6, 21}), gapped({40, 21}, 1), packed({40, 1}), 0);
        add_gather(cases, type, swapped({3, 4, 5}, 0, 2), packed({3, 9, 5}), packed({9, 5}), 1);
        add_scatter(cases, type, packed({5, 12}), packed({5, 7}), 1);
        add_embedding(cases, type, packed({6, 20}), packed({3, 7}), packed({3, 7, 20}));
        add_embedding(cases, type, gapped({6, 3}, 2), packed({50}), packed({50, 3}));
        add_scan(cases, type, 3, 20, false);
        add_scan(cases, type, 2, 33, true);
    }
}

} // namespace devq::conformance
