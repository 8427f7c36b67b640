#include "cases.hpp"
#include "product_reference.hpp"
#include <devq/ops/matmul.hpp>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace devq::conformance {

namespace {

using ops::Activation;

/// What beta multiplies.
enum class Addend {
    none,  ///< no c, and nothing in out that might be read
    own,   ///< out itself
    other, ///< a tensor as out
    row,   ///< one row for all
    nan,   ///< out full of NaN, and so is c: for beta 0
};

struct Shape {
    std::int64_t batch, m, n, k; ///< batch 0: rank 2; "no batches" is b0 in tests of empty ones, see `sizes`
    bool ta = false, tb = false;
    std::int64_t gap_a = 0, gap_b = 0, gap_out = 0;
    std::int64_t shift = 0;
    bool bias = false;
    Activation activation = Activation::none;
    Values values = Values::unit;
    const char* note = "";
    bool wide = false; ///< out, c and bias in f32
    float alpha = 1, beta = 0;
    Addend addend = Addend::none;

    DType out_type(DType type) const { return wide ? DType::f32 : type; }

    std::string text() const {
        std::string text = batch > 0 ? fmt::format("b{} ", batch) : std::string();
        text += fmt::format("m{} n{} k{} {}{}", m, n, k, ta ? 't' : 'n', tb ? 't' : 'n');
        if (gap_a + gap_b + gap_out > 0)
            text += fmt::format(" gaps {},{},{}", gap_a, gap_b, gap_out);
        if (shift > 0)
            text += fmt::format(" off{}", shift);
        if (bias)
            text += " bias";
        if (activation != Activation::none)
            text += fmt::format(" {}", ops::to_string(activation));
        if (wide)
            text += " to f32";
        if (alpha != 1)
            text += fmt::format(" alpha{}", alpha);
        if (beta != 0)
            text += fmt::format(" beta{}", beta);
        if (addend != Addend::none)
            text += addend == Addend::own     ? " in place"
                    : addend == Addend::other ? " c"
                    : addend == Addend::row   ? " c row"
                                              : " nan in out and c";
        return text + note;
    }
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back(
        {"matmul", std::string(to_string(type)), s.text(), [=](Run& run) {
             const auto layout = [&](std::int64_t rows, std::int64_t columns, std::int64_t gap) {
                 const Dims sizes = s.batch > 0 ? Dims{s.batch, rows, columns} : Dims{rows, columns};
                 return shifted(gapped(sizes, gap), s.shift);
             };
             const Operand& a =
                 run.input(type, s.ta ? layout(s.k, s.m, s.gap_a) : layout(s.m, s.k, s.gap_a), s.values, "a");
             const Operand& b =
                 run.input(type, s.tb ? layout(s.n, s.k, s.gap_b) : layout(s.k, s.n, s.gap_b), s.values, "b");
             const DType out_type = s.out_type(type);
             const Operand& bias = run.input(out_type, shifted(packed({s.n}), s.shift), s.values, "bias");
             const Layout place = layout(s.m, s.n, s.gap_out);
             const auto not_a_number = [](const Index&) { return std::numeric_limits<double>::quiet_NaN(); };
             const bool none = s.addend == Addend::nan;
             const Operand& out = none                      ? run.in_place(out_type, place, not_a_number)
                                  : s.addend == Addend::own ? run.in_place(out_type, place, s.values)
                                                            : run.output(out_type, place);
             const Operand& c =
                 none ? run.input(out_type, place, not_a_number, "c")
                 : s.addend == Addend::row
                     ? run.input(out_type, packed({s.n}), s.values, "c")
                     : run.input(out_type, shifted(gapped(place.sizes, s.gap_a), s.shift), s.values, "c");
             ops::MatmulOptions options;
             options.transpose_a = s.ta;
             options.transpose_b = s.tb;
             if (s.bias)
                 options.bias = bias.view();
             options.activation = s.activation;
             options.alpha = s.alpha;
             options.beta = s.beta;
             if (s.addend != Addend::none && s.addend != Addend::own)
                 options.c = c.view();
             run.ran(ops::matmul(run.queue(), out.view(), a.view(), b.view(), options));
             run.judge(out, [&](const Index& at, std::int64_t) {
                 const std::size_t first = s.batch > 0 ? 1 : 0;
                 const std::int64_t i = at[first], j = at[first + 1];
                 const auto element = [&](std::int64_t row, std::int64_t column) {
                     return s.batch > 0 ? Index{at[0], row, column} : Index{row, column};
                 };
                 ProductSum sum;
                 for (std::int64_t l = 0; l < s.k; ++l)
                     sum.add(a(s.ta ? element(l, i) : element(i, l)), b(s.tb ? element(j, l) : element(l, j)));
                 sum.scale(s.alpha);
                 if (s.beta != 0)
                     sum.add_scaled(s.beta, s.addend == Addend::own   ? out(at)
                                            : s.addend == Addend::row ? c({j})
                                                                      : c(at));
                 if (s.bias)
                     sum.add_bias(bias({j}));
                 return sum.expected(s.activation);
             });
         }});
}

/// Where the matrices of a list lie.
enum class Spread {
    apart,   ///< in buffers of their own: a list of addresses
    slices,  ///< one behind another in one buffer each, b always the same: one batch
    shuffled ///< in one buffer, in no order
};

void add_list(std::vector<Case>& cases, DType type, std::int64_t count, const Shape& s, Spread spread) {
    const char* const names[] = {" apart", " slices", " shuffled"};
    cases.push_back(
        {"matmul_batch", std::string(to_string(type)),
         fmt::format("list{} {}{}", count, s.text(), names[static_cast<std::size_t>(spread)]), [=](Run& run) {
             const DType out_type = s.out_type(type);
             const Dims of_a = s.ta ? Dims{s.k, s.m} : Dims{s.m, s.k}, of_b = s.tb ? Dims{s.n, s.k} : Dims{s.k, s.n};
             const Dims of_out{s.m, s.n};
             const bool one = spread != Spread::apart, in_place = s.beta != 0;
             std::vector<const Operand*> lists[3];
             const std::int64_t buffers = one ? 1 : count;
             const auto sizes = [&](const Dims& matrix, std::int64_t of) { return Dims{of, matrix[0], matrix[1]}; };
             for (std::int64_t i = 0; i < buffers; ++i) {
                 const std::int64_t of = one ? count : 1;
                 lists[0].push_back(
                     &run.input(type, shifted(gapped(sizes(of_a, of), s.gap_a), s.shift), s.values, "a"));
                 lists[1].push_back(
                     &run.input(type, shifted(gapped(sizes(of_b, spread == Spread::slices ? 1 : of), s.gap_b), s.shift),
                                s.values, "b"));
                 const Layout place = shifted(gapped(sizes(of_out, of), s.gap_out), s.shift);
                 lists[2].push_back(in_place ? &run.in_place(out_type, place, s.values, "out")
                                             : &run.output(out_type, place, "out"));
             }
             const Operand& bias = run.input(out_type, packed({s.n}), s.values, "bias");
             // Of the matrix number i: its operand, and where in it.
             const auto place_of = [&](int list, std::int64_t i) {
                 const std::int64_t slice = spread == Spread::apart                 ? 0
                                            : spread == Spread::slices && list == 1 ? 0
                                            : spread == Spread::slices              ? i
                                                                                    : (i * 2 + 1) % count;
                 return std::pair<const Operand*, std::int64_t>(lists[list][one ? 0 : static_cast<std::size_t>(i)],
                                                                slice);
             };
             std::vector<TensorView> views[3];
             for (int list = 0; list < 3; ++list)
                 for (std::int64_t i = 0; i < count; ++i) {
                     const auto [operand, slice] = place_of(list, i);
                     const TensorView& all = operand->view();
                     views[list].emplace_back(all.buffer(), all.dtype(), Dims{all.size(1), all.size(2)},
                                              Dims{all.stride(1), all.stride(2)}, all.offset() + slice * all.stride(0));
                 }
             ops::MatmulOptions options;
             options.transpose_a = s.ta;
             options.transpose_b = s.tb;
             if (s.bias)
                 options.bias = bias.view();
             options.activation = s.activation;
             options.alpha = s.alpha;
             options.beta = s.beta;
             run.ran(ops::matmul_batch(run.queue(), views[2], views[0], views[1], options));
             for (std::int64_t buffer = 0; buffer < buffers; ++buffer)
                 run.judge(*lists[2][static_cast<std::size_t>(buffer)], [&](const Index& at, std::int64_t) {
                     std::int64_t i = buffer;
                     if (one)
                         for (i = 0; place_of(2, i).second != at[0];)
                             ++i;
                     const auto element = [&](int list, std::int64_t row, std::int64_t column) {
                         const auto [operand, slice] = place_of(list, i);
                         return (*operand)({slice, row, column});
                     };
                     ProductSum sum;
                     for (std::int64_t l = 0; l < s.k; ++l)
                         sum.add(s.ta ? element(0, l, at[1]) : element(0, at[1], l),
                                 s.tb ? element(1, at[2], l) : element(1, l, at[2]));
                     sum.scale(s.alpha);
                     if (in_place)
                         sum.add_scaled(s.beta, element(2, at[1], at[2]));
                     if (s.bias)
                         sum.add_bias(bias({at[2]}));
                     return sum.expected(s.activation);
                 });
         }});
}

void add_lists(std::vector<Case>& cases, DType type) {
    for (const Spread spread : {Spread::apart, Spread::slices, Spread::shuffled}) {
        add_list(cases, type, 5, {.batch = 0, .m = 16, .n = 32, .k = 24}, spread);
        add_list(cases, type, 3, {.batch = 0, .m = 9, .n = 13, .k = 7, .ta = true, .gap_b = 3, .gap_out = 1}, spread);
        add_list(cases, type, 5, {.batch = 0, .m = 8, .n = 16, .k = 40, .tb = true, .alpha = 0.5f, .beta = -1.5f},
                 spread);
        add_list(cases, type, 3,
                 {.batch = 0, .m = 3, .n = 35, .k = 11, .shift = 1, .bias = true, .activation = Activation::silu},
                 spread);
        if (type != DType::f32)
            add_list(cases, type, 3, {.batch = 0, .m = 8, .n = 24, .k = 16, .wide = true}, spread);
    }
    add_list(cases, type, 1, {.batch = 0, .m = 5, .n = 6, .k = 7}, Spread::apart);
    add_list(cases, type, 3, {.batch = 0, .m = 5, .n = 6, .k = 0}, Spread::apart);
    add_list(cases, type, 3, {.batch = 0, .m = 0, .n = 6, .k = 4}, Spread::apart);
}

/// alpha, beta, c, and results in f32.
void add_scaled(std::vector<Case>& cases, DType type) {
    for (const bool wide : {false, true}) {
        if (wide && type == DType::f32)
            continue;
        for (const auto& [ta, tb] : {std::pair(false, false), {false, true}, {true, false}})
            add(cases, type, {.batch = 0, .m = 19, .n = 67, .k = 33, .ta = ta, .tb = tb, .wide = wide, .alpha = 0.75f});
        add(cases, type,
            {.batch = 0, .m = 33, .n = 65, .k = 140, .gap_out = 1, .wide = wide, .beta = 1, .addend = Addend::own});
        add(cases, type,
            {.batch = 3,
             .m = 9,
             .n = 34,
             .k = 11,
             .gap_a = 3,
             .gap_out = 2,
             .shift = 1,
             .bias = true,
             .activation = Activation::relu,
             .wide = wide,
             .alpha = -1.25f,
             .beta = 0.3f,
             .addend = Addend::other});
        add(cases, type,
            {.batch = 2,
             .m = 20,
             .n = 40,
             .k = 16,
             .activation = Activation::gelu_tanh,
             .wide = wide,
             .alpha = 0.1f,
             .beta = 2,
             .addend = Addend::own});
        add(cases, type,
            {.batch = 2, .m = 7, .n = 37, .k = 21, .wide = wide, .alpha = 3, .beta = -0.5f, .addend = Addend::row});
        // A narrow result, columns of both operands contiguous: a kernel of its own.
        add(cases, type,
            {.batch = 0,
             .m = 3,
             .n = 70,
             .k = 129,
             .tb = true,
             .bias = true,
             .activation = Activation::silu,
             .wide = wide,
             .alpha = 0.5f,
             .beta = 1.5f,
             .addend = Addend::own});
        add(cases, type,
            {.batch = 0, .m = 70, .n = 2, .k = 40, .tb = true, .wide = wide, .beta = 1, .addend = Addend::other});
        // One row or one column.
        add(cases, type, {.batch = 0, .m = 1, .n = 257, .k = 131, .wide = wide, .beta = 1, .addend = Addend::own});
        add(cases, type, {.batch = 0, .m = 259, .n = 1, .k = 130, .ta = true, .wide = wide, .alpha = 2});
        add(cases, type, {.batch = 0, .m = 23, .n = 45, .k = 19, .wide = wide, .alpha = 0.5f, .addend = Addend::nan});
        add(cases, type, {.batch = 0, .m = 2, .n = 45, .k = 19, .tb = true, .wide = wide, .addend = Addend::nan});
        add(cases, type,
            {.batch = 0, .m = 8, .n = 40, .k = 24, .wide = wide, .alpha = 0, .beta = 0.5f, .addend = Addend::own});
        add(cases, type,
            {.batch = 0, .m = 8, .n = 40, .k = 0, .bias = true, .wide = wide, .beta = 3, .addend = Addend::other});
        add(cases, type,
            {.batch = 0,
             .m = 17,
             .n = 35,
             .k = 5,
             .bias = true,
             .values = Values::special,
             .note = " special",
             .wide = wide,
             .beta = 1,
             .addend = Addend::own});
    }
}

} // namespace

Case matmul_case(DType type, const std::string& shape, const Layout& out, const Layout& left, const Layout& right) {
    return {"matmul", std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& a = run.input(type, left, Values::unit, "a");
                const Operand& b = run.input(type, right, Values::unit, "b");
                const Operand& y = run.output(type, out);
                run.ran(ops::matmul(run.queue(), y.view(), a.view(), b.view()));
                const auto last = static_cast<std::size_t>(out.sizes.rank() - 1);
                const std::int64_t k = left.sizes[left.sizes.rank() - 1];
                // The batch that an operand has for this element, with its own row and column behind.
                const auto place = [&](const Index& at, const Layout& layout, std::int64_t row, std::int64_t column) {
                    Index index = broadcast_index(at, out.sizes.rank(), layout.sizes);
                    const auto own_last = static_cast<std::size_t>(layout.sizes.rank() - 1);
                    index[own_last - 1] = row;
                    index[own_last] = column;
                    return index;
                };
                run.judge(y, [&](const Index& at, std::int64_t) {
                    ProductSum sum;
                    for (std::int64_t l = 0; l < k; ++l)
                        sum.add(a(place(at, left, at[last - 1], l)), b(place(at, right, l, at[last])));
                    return sum.expected(Activation::none);
                });
            }};
}

void add_matmul_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        // Sizes around every tile edge, each in all four transposes.
        constexpr std::int64_t sizes[][3] = {{1, 1, 1},    {2, 3, 5},    {8, 32, 16},  {33, 65, 17},
                                             {64, 64, 64}, {7, 129, 31}, {131, 9, 67}, {16, 31, 300}};
        for (const auto& [m, n, k] : sizes)
            for (const bool ta : {false, true})
                for (const bool tb : {false, true})
                    add(cases, type, {.batch = 0, .m = m, .n = n, .k = k, .ta = ta, .tb = tb});
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                add(cases, type, {.batch = 4, .m = 33, .n = 65, .k = 17, .ta = ta, .tb = tb});
                add(cases, type,
                    {.batch = 3, .m = 9, .n = 34, .k = 11, .ta = ta, .tb = tb, .gap_a = 3, .gap_b = 5, .gap_out = 1});
                add(cases, type,
                    {.batch = 0,
                     .m = 29,
                     .n = 45,
                     .k = 23,
                     .ta = ta,
                     .tb = tb,
                     .gap_a = 1,
                     .gap_b = 2,
                     .gap_out = 3,
                     .shift = 1,
                     .bias = true,
                     .activation = Activation::relu});
            }
        for (const Activation activation :
             {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu})
            for (const bool bias : {false, true}) {
                if (activation == Activation::none && !bias)
                    continue;
                add(cases, type, {.batch = 0, .m = 19, .n = 67, .k = 21, .bias = bias, .activation = activation});
                add(cases, type, {.batch = 2, .m = 8, .n = 64, .k = 16, .bias = bias, .activation = activation});
                add(cases, type, {.batch = 0, .m = 5, .n = 37, .k = 0, .bias = bias, .activation = activation});
            }
        add(cases, type, {.batch = 0, .m = 5, .n = 7, .k = 0});
        add(cases, type, {.batch = 0, .m = 0, .n = 7, .k = 3});
        add(cases, type, {.batch = 0, .m = 7, .n = 0, .k = 3, .bias = true});
        add(cases, type, {.batch = 0, .m = 1, .n = 1000, .k = 64});
        add(cases, type, {.batch = 0, .m = 1000, .n = 1, .k = 64});
        add(cases, type, {.batch = 0, .m = 1, .n = 1, .k = 10007});
        add(cases, type, {.batch = 0, .m = 200, .n = 210, .k = 190, .bias = true, .activation = Activation::relu});
        add(cases, type, {.batch = 0, .m = 300, .n = 150, .k = 140});
        add(cases, type, {.batch = 0, .m = 263, .n = 131, .k = 129, .ta = true, .bias = true});
        add(cases, type, {.batch = 0, .m = 131, .n = 263, .k = 257, .tb = true});
        // Narrow results with both operands contiguous along k take a path of their own.
        add(cases, type,
            {.batch = 0, .m = 3, .n = 70, .k = 300, .tb = true, .bias = true, .activation = Activation::relu});
        add(cases, type,
            {.batch = 0, .m = 70, .n = 4, .k = 129, .tb = true, .bias = true, .activation = Activation::gelu});
        add(cases, type, {.batch = 5, .m = 2, .n = 9, .k = 33, .tb = true, .gap_a = 3, .gap_b = 1, .shift = 1});
        add(cases, type, {.batch = 0, .m = 4, .n = 33, .k = 0, .tb = true, .bias = true});
        add(cases, type,
            {.batch = 0, .m = 2, .n = 64, .k = 21, .tb = true, .values = Values::risky, .note = " inf denormal"});
        // So do a few rows, or columns, beside a matrix that is contiguous along its other side.
        add(cases, type, {.batch = 0, .m = 8, .n = 1030, .k = 133, .bias = true});
        add(cases, type, {.batch = 0, .m = 3, .n = 600, .k = 5, .gap_b = 3, .shift = 1});
        add(cases, type, {.batch = 0, .m = 70, .n = 5, .k = 37, .ta = true, .activation = Activation::relu});
        add(cases, type, {.batch = 3, .m = 7, .n = 65, .k = 9, .gap_a = 1, .gap_out = 2});
        add(cases, type, {.batch = 2, .m = 129, .n = 8, .k = 34, .ta = true, .tb = true, .shift = 1});
        add(cases, type, {.batch = 0, .m = 6, .n = 40, .k = 21, .values = Values::risky, .note = " inf denormal"});
        add(cases, type, {.batch = 64, .m = 5, .n = 6, .k = 7});
        add(cases, type, {.batch = 0, .m = 37, .n = 41, .k = 43, .values = Values::risky, .note = " inf denormal"});
        add(cases, type,
            {.batch = 0,
             .m = 17,
             .n = 35,
             .k = 5,
             .bias = true,
             .activation = Activation::relu,
             .values = Values::special,
             .note = " special"});
        add(cases, type,
            {.batch = 0,
             .m = 17,
             .n = 35,
             .k = 5,
             .bias = true,
             .activation = Activation::gelu,
             .values = Values::risky,
             .note = " inf denormal"});
        for (const Activation activation : {Activation::gelu_tanh, Activation::silu})
            add(cases, type,
                {.batch = 0,
                 .m = 17,
                 .n = 35,
                 .k = 5,
                 .bias = true,
                 .activation = activation,
                 .values = Values::risky,
                 .note = " inf denormal"});
        add_scaled(cases, type);
        add_lists(cases, type);
        add(cases, type, {.batch = 0, .m = 20, .n = 33, .k = 3, .values = Values::huge, .note = " overflows"});
        add(cases, type, {.batch = 0, .m = 20, .n = 33, .k = 40, .values = Values::nearly, .note = " denormal"});

        cases.push_back(matmul_case(type, "b0 m3 n5 k2", packed({0, 3, 5}), packed({0, 3, 2}), packed({0, 2, 5})));
        cases.push_back(
            matmul_case(type, "a 3x9x11 b 11x34", packed({3, 9, 34}), packed({3, 9, 11}), packed({11, 34})));
        cases.push_back(
            matmul_case(type, "a 9x11 b 3x11x34", packed({3, 9, 34}), packed({9, 11}), packed({3, 11, 34})));
        cases.push_back(matmul_case(type, "a 2x1x4x6 b 3x6x5 broadcast", packed({2, 3, 4, 5}), packed({2, 1, 4, 6}),
                                    packed({3, 6, 5})));
        cases.push_back(matmul_case(type, "a 1x3x4x6 b 2x1x6x33 broadcast", packed({2, 3, 4, 33}), packed({1, 3, 4, 6}),
                                    packed({2, 1, 6, 33})));
        cases.push_back(matmul_case(type, "2x1x2x1x3x2x7x9 rank8", packed({2, 1, 2, 1, 3, 2, 7, 9}),
                                    packed({2, 1, 2, 1, 3, 2, 7, 5}), packed({2, 1, 2, 1, 3, 2, 5, 9})));
        cases.push_back(matmul_case(type, "b5 m7 n11 k13 a rep0", packed({5, 7, 11}), repeated({5, 7, 13}, 1),
                                    packed({5, 13, 11})));
        cases.push_back(matmul_case(type, "b5 m7 n11 k13 batches inside", swapped({5, 7, 11}, 0, 1),
                                    swapped({5, 7, 13}, 0, 1), swapped({5, 13, 11}, 0, 2)));
        cases.push_back(matmul_case(type, "m21 n35 k19 steps 2,3,2", stepped({21, 35}, 2), stepped({21, 19}, 3),
                                    stepped({19, 35}, 2)));
        cases.push_back(
            matmul_case(type, "m21 n35 k19 out t01", swapped({21, 35}, 0, 1), packed({21, 19}), packed({19, 35})));
        cases.push_back(matmul_case(type, "m12 n34 k9 a rep1 b rep0", packed({12, 34}), repeated({12, 9}, 2),
                                    repeated({9, 34}, 1)));
    }
}

} // namespace devq::conformance
