// Operations that move elements without looking at them: copy, concat, where, pad, on types of every size.
#include "cases.hpp"
#include <algorithm>
#include <cmath>
#include <devq/ops/copy.hpp>
#include <devq/ops/pad.hpp>
#include <devq/ops/where.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

constexpr DType moved_types[] = {DType::f32, DType::f16, DType::bf16, DType::f64, DType::u8, DType::i32, DType::i64};

/// NaN, ±0 and infinity where the type has them.
Values values_of(DType type) { return is_floating(type) ? Values::special : Values::wide; }

void add_copy(std::vector<Case>& cases, DType type) {
    const auto add = [&](const std::string& shape, const Layout& out, const Layout& in) {
        cases.push_back({"copy", std::string(to_string(type)), shape + " as bits", [=](Run& run) {
                             const Operand& x = run.input(type, in, values_of(type));
                             const Operand& y = run.output(type, out);
                             run.ran(ops::copy(run.queue(), y.view(), x.view()));
                             const int rank = out.sizes.rank();
                             run.judge(y, [&](const Index& i, std::int64_t) {
                                 return Expected::exactly(x(broadcast_index(i, rank, in.sizes)));
                             });
                         }});
    };
    add("4099", packed({4099}), packed({4099}));
    add("scalar", packed({}), packed({}));
    add("3x0", packed({3, 0}), packed({3, 0}));
    add("37x319 out gap5 in t01", gapped({37, 319}, 5), swapped({37, 319}, 0, 1));
    add("5x7x9x3 in t13", packed({5, 7, 9, 3}), swapped({5, 7, 9, 3}, 1, 3));
    add("5x7x9 out t02 in step3 off1", swapped({5, 7, 9}, 0, 2), shifted(stepped({5, 7, 9}, 3), 1));
    add("4x3x17 in 3x1 broadcast", packed({4, 3, 17}), packed({3, 1}));
    add("2x3x2x3x2x3x2x3 in t07 out t16", swapped({2, 3, 2, 3, 2, 3, 2, 3}, 1, 6),
        swapped({2, 3, 2, 3, 2, 3, 2, 3}, 0, 7));
    cases.push_back({"copy", std::string(to_string(type)), "permuted, every third of a slice", [=](Run& run) {
                         const Operand& x = run.input(type, packed({6, 20, 9}), values_of(type));
                         const Operand& y = run.output(type, packed({9, 6, 5}));
                         const TensorView part = x.view().sliced(1, 4, 5, 3).permuted({2, 0, 1});
                         run.ran(ops::copy(run.queue(), y.view(), part));
                         run.judge(y, [&](const Index& i, std::int64_t) {
                             return Expected::exactly(x({i[1], 4 + 3 * i[2], i[0]}));
                         });
                     }});
}

void add_concat(std::vector<Case>& cases, DType type) {
    const auto add = [&](const Layout& out, int axis, const std::vector<Layout>& parts) {
        std::string shape = out.text() + fmt::format(" axis {} of", axis);
        for (const Layout& part : parts)
            shape += " " + part.text();
        cases.push_back({"concat", std::string(to_string(type)), shape, [=](Run& run) {
                             std::vector<const Operand*> inputs;
                             std::vector<TensorView> views;
                             for (const Layout& part : parts) {
                                 inputs.push_back(&run.input(type, part, values_of(type)));
                                 views.push_back(inputs.back()->view());
                             }
                             const Operand& y = run.output(type, out);
                             run.ran(ops::concat(run.queue(), y.view(), views, axis));
                             const auto along = static_cast<std::size_t>(axis < 0 ? axis + out.sizes.rank() : axis);
                             run.judge(y, [&](const Index& i, std::int64_t) {
                                 Index at = i;
                                 std::size_t part = 0;
                                 for (; at[along] >= inputs[part]->sizes()[static_cast<int>(along)]; ++part)
                                     at[along] -= inputs[part]->sizes()[static_cast<int>(along)];
                                 return Expected::exactly((*inputs[part])(at));
                             });
                         }});
    };
    add(packed({10, 7}), 0, {packed({3, 7}), packed({1, 7}), swapped({6, 7}, 0, 1)});
    add(packed({5, 33}), -1, {packed({5, 30}), packed({5, 0}), gapped({5, 3}, 2)});
    add(swapped({4, 9, 5}, 0, 2), 1, {packed({4, 4, 5}), repeated({4, 5, 5}, 1)});
    add(shifted(packed({300}), 1), 0, {packed({300})});
    cases.push_back({"concat", std::string(to_string(type)), "of what split gives, in another order", [=](Run& run) {
                         const Operand& x = run.input(type, packed({4, 12, 3}), values_of(type));
                         const Operand& y = run.output(type, packed({4, 12, 3}));
                         const std::vector<TensorView> parts = ops::split(x.view(), {2, 7, 3}, 1);
                         run.ran(ops::concat(run.queue(), y.view(), {parts[2], parts[0], parts[1]}, 1));
                         run.judge(y, [&](const Index& i, std::int64_t) {
                             const std::int64_t from = i[1] < 3 ? 9 + i[1] : i[1] - 3;
                             return Expected::exactly(x({i[0], from, i[2]}));
                         });
                     }});
}

void add_where(std::vector<Case>& cases, DType type) {
    const auto add = [&](const std::string& shape, DType choice, const Layout& out, const Layout& condition,
                         const Layout& left, const Layout& right) {
        cases.push_back(
            {"where", std::string(to_string(type)), fmt::format("{} by {}", shape, to_string(choice)), [=](Run& run) {
                 const Operand& c = run.input(
                     choice, condition,
                     [&](const Index&) {
                         const std::int64_t kind = run.random().below(is_floating(choice) ? 5 : 3);
                         return kind == 0 ? 0.0 : kind == 3 ? -0.0 : kind == 4 ? NAN : 3.0 * static_cast<double>(kind);
                     },
                     "condition");
                 const Operand& a = run.input(type, left, values_of(type), "a");
                 const Operand& b = run.input(type, right, values_of(type), "b");
                 const Operand& y = run.output(type, out);
                 run.ran(ops::where(run.queue(), y.view(), c.view(), a.view(), b.view()));
                 const int rank = out.sizes.rank();
                 run.judge(y, [&](const Index& i, std::int64_t) {
                     const bool chosen = c(broadcast_index(i, rank, condition.sizes)) != 0;
                     return Expected::exactly(chosen ? a(broadcast_index(i, rank, left.sizes))
                                                     : b(broadcast_index(i, rank, right.sizes)));
                 });
             }});
    };
    for (const DType choice : {DType::u8, type}) {
        if (choice == DType::u8 && type == DType::u8)
            continue;
        const auto same = [&](const Layout& layout) { add(layout.text(), choice, layout, layout, layout, layout); };
        same(packed({3001}));
        same(packed({}));
        same(packed({3, 0}));
        same(shifted(gapped({13, 21}, 3), 1));
        add("7x33x5 c t02 a rep1", choice, packed({7, 33, 5}), swapped({7, 33, 5}, 0, 2), repeated({7, 33, 5}, 2),
            packed({7, 33, 5}));
        add("7x33 c 33 a scalar b 7x1", choice, packed({7, 33}), packed({33}), packed({}), packed({7, 1}));
    }
    cases.push_back(
        {"where", std::string(to_string(type)), "1021 in place of a", [=](Run& run) {
             const Operand& c = run.input(DType::u8, packed({1021}), Values::small_integers, "condition");
             const Operand& a = run.in_place(type, packed({1021}), values_of(type), "a");
             const Operand& b = run.input(type, packed({1}), values_of(type), "b");
             run.ran(ops::where(run.queue(), a.view(), c.view(), a.view(), b.view()));
             run.judge(a, [&](const Index& i, std::int64_t) { return Expected::exactly(c(i) != 0 ? a(i) : b({})); });
         }});
}

void add_pad(std::vector<Case>& cases, DType type) {
    const auto add = [&](const Layout& out, const Layout& in, const Dims& before, ops::Padding mode) {
        const std::string shape =
            fmt::format("{} of {} at {} {}", out.text(), in.text(), before.text(), ops::to_string(mode));
        cases.push_back({"pad", std::string(to_string(type)), shape, [=](Run& run) {
                             const Operand& x = run.input(type, in, values_of(type));
                             const Operand& y = run.output(type, out);
                             run.ran(ops::pad(run.queue(), y.view(), x.view(), before, mode, 7));
                             run.judge(y, [&](const Index& i, std::int64_t) {
                                 Index at{};
                                 for (int d = 0; d < out.sizes.rank(); ++d) {
                                     const auto axis = static_cast<std::size_t>(d);
                                     const std::int64_t size = in.sizes[d];
                                     std::int64_t from = i[axis] - before[d];
                                     if (mode == ops::Padding::constant && (from < 0 || from >= size))
                                         return Expected::exactly(7);
                                     if (mode == ops::Padding::replicate)
                                         from = std::clamp<std::int64_t>(from, 0, size - 1);
                                     if (mode == ops::Padding::circular)
                                         from = (from + size) % size;
                                     if (mode == ops::Padding::reflect && size > 1) { // a period goes there and back
                                         from = (from + 2 * (size - 1)) % (2 * (size - 1));
                                         from = from < size ? from : 2 * (size - 1) - from;
                                     }
                                     at[axis] = from;
                                 }
                                 return Expected::exactly(x(at));
                             });
                         }});
    };
    using ops::Padding;
    for (const Padding mode : {Padding::constant, Padding::reflect, Padding::replicate, Padding::circular}) {
        add(packed({19, 40}), packed({11, 33}), {5, 3}, mode);
        add(gapped({3, 9, 14}, 3), swapped({3, 7, 8}, 1, 2), {0, 1, 6}, mode);
        add(swapped({2, 3, 9, 11}, 0, 3), shifted(packed({2, 3, 5, 6}), 1), {0, 0, 2, 0}, mode);
        add(packed({3000}), packed({2400}), {599}, mode);
        add(packed({}), packed({}), {}, mode);
        add(packed({4, 5}), packed({4, 5}), {0, 0}, mode);
    }
    add(packed({3, 5}), packed({3, 0}), {0, 2}, Padding::constant);
    add(packed({900, 3}), packed({1, 1}), {899, 1}, Padding::replicate);
}

} // namespace

void add_copy_cases(std::vector<Case>& cases) {
    for (const DType type : moved_types) {
        add_copy(cases, type);
        add_concat(cases, type);
        add_where(cases, type);
        add_pad(cases, type);
    }
}

} // namespace devq::conformance
