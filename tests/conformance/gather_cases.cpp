#include "cases.hpp"
#include <cmath>
#include <devq/ops/gather.hpp>
#include <fmt/format.h>
#include <functional>

namespace devq::conformance {

namespace {

struct Shape {
    std::int64_t rows, columns, picks;
    std::int64_t gap = 0, shift = 0;
    bool outside = false;
    Values values = Values::wide;
    const char* note = "";

    std::string text() const {
        return fmt::format("{} of {}x{}{}{}{}{}", picks, rows, columns, gap > 0 ? fmt::format(" gap{}", gap) : "",
                           shift > 0 ? fmt::format(" off{}", shift) : "", outside ? " rows outside" : "", note);
    }
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back({"gather_rows", std::string(to_string(type)), s.text(), [=](Run& run) {
                         const Layout table = shifted(gapped({s.rows, s.columns}, s.gap), s.shift);
                         const Operand& x =
                             is_floating(type)
                                 ? run.input(type, table, s.values)
                                 : run.input(type, table, [&](const Index&) {
                                       return static_cast<double>(run.random().below(std::int64_t{1} << 32)) - 0x1p31;
                                   });
                         const Operand& rows = run.input(
                             DType::i32, packed({s.picks}),
                             [&](const Index& i) {
                                 if (s.outside && i[0] % 4 == 1)
                                     return i[0] % 8 == 1 ? -1.0 : static_cast<double>(s.rows);
                                 return static_cast<double>(run.random().below(s.rows));
                             },
                             "rows");
                         const Operand& y = run.output(type, shifted(packed({s.picks, s.columns}), s.shift));
                         run.ran(ops::gather_rows(run.queue(), y.view(), x.view(), rows.view()));
                         run.judge(y, [&](const Index& i, std::int64_t) {
                             const double row = rows({i[0]});
                             if (row < 0 || row >= static_cast<double>(s.rows))
                                 return Expected::exactly(is_floating(type) ? NAN : 0);
                             return Expected::exactly(x({static_cast<std::int64_t>(row), i[1]}));
                         });
                     }});
}

/// Floating types: of the kind; i32: any.
const Operand& elements(Run& run, DType type, const Layout& layout, Values values) {
    if (is_floating(type))
        return run.input(type, layout, values);
    return run.input(type, layout, [&](const Index&) {
        return static_cast<double>(run.random().below(std::int64_t{1} << 32)) - 0x1p31;
    });
}

/// Indices below `available`; a few beyond it on both sides when `outside`.
const Operand& picks_of(Run& run, const Layout& layout, std::int64_t available, bool outside) {
    return run.input(
        DType::i32, layout,
        [=, &run](const Index&) {
            if (available == 0 || (outside && run.random().one_in(5)))
                return static_cast<double>(run.random().one_in(2) ? -1 - run.random().below(3) : available);
            return static_cast<double>(run.random().below(available));
        },
        "indices");
}

Expected picked(DType type, double index, std::int64_t available, const std::function<double(std::int64_t)>& element) {
    if (index < 0 || index >= static_cast<double>(available))
        return Expected::exactly(is_floating(type) ? NAN : 0);
    return Expected::exactly(element(static_cast<std::int64_t>(index)));
}

void add_gather(std::vector<Case>& cases, DType type, const Layout& out, const Layout& in, const Layout& indices,
                int axis, bool outside = false, Values values = Values::wide, const char* note = "") {
    const std::string shape = fmt::format("{} of {} by {} axis {}{}{}", out.text(), in.text(), indices.text(), axis,
                                          outside ? " outside" : "", note);
    cases.push_back({"gather", std::string(to_string(type)), shape, [=](Run& run) {
                         const auto along = static_cast<std::size_t>(axis < 0 ? axis + in.sizes.rank() : axis);
                         const std::int64_t available = in.sizes[static_cast<int>(along)];
                         const Operand& x = elements(run, type, in, values);
                         const Operand& picks = picks_of(run, indices, available, outside);
                         const Operand& y = run.output(type, out);
                         run.ran(ops::gather(run.queue(), y.view(), x.view(), picks.view(), axis));
                         run.judge(y, [&](const Index& i, std::int64_t) {
                             const double index = picks(broadcast_index(i, out.sizes.rank(), indices.sizes));
                             return picked(type, index, available, [&](std::int64_t at) {
                                 Index from = i;
                                 from[along] = at;
                                 return x(from);
                             });
                         });
                     }});
}

void add_embedding(std::vector<Case>& cases, DType type, const Layout& table, const Layout& indices, const Layout& out,
                   bool outside = false) {
    const std::string shape =
        fmt::format("{} of {} by {}{}", out.text(), table.text(), indices.text(), outside ? " outside" : "");
    cases.push_back(
        {"embedding", std::string(to_string(type)), shape, [=](Run& run) {
             const Operand& x = elements(run, type, table, Values::special);
             const Operand& picks = picks_of(run, indices, table.sizes[0], outside);
             const Operand& y = run.output(type, out);
             run.ran(ops::embedding(run.queue(), y.view(), x.view(), picks.view()));
             run.judge(y, [&](const Index& i, std::int64_t) {
                 Index at = i;
                 const auto last = static_cast<std::size_t>(indices.sizes.rank());
                 at[last] = 0;
                 return picked(type, picks(at), table.sizes[0], [&](std::int64_t row) { return x({row, i[last]}); });
             });
         }});
}

} // namespace

void add_gather_cases(std::vector<Case>& cases) {
    for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::i32}) {
        const auto along = [&](const Dims& out, const Dims& in, int axis, bool outside = false) {
            add_gather(cases, type, packed(out), packed(in), packed(out), axis, outside);
        };
        along({33, 17}, {33, 40}, 1);
        along({50, 17}, {7, 17}, 0, true);
        along({5, 300, 3}, {5, 41, 3}, 1);
        along({2100}, {1000}, -1, true);
        along({4, 0, 3}, {4, 5, 3}, 1);
        along({4, 3, 3}, {4, 0, 3}, 1);
        along({2, 3, 2, 2, 1, 3, 2, 2}, {2, 3, 5, 2, 1, 3, 2, 2}, 2);
        add_gather(cases, type, packed({5, 9, 33}), packed({5, 20, 33}), packed({9, 1}), 1, true);
        add_gather(cases, type, packed({9, 40, 3}), packed({9, 20, 3}), packed({40, 1}), 1);
        add_gather(cases, type, packed({33, 9}), packed({33, 20}), packed({1}), -1);
        add_gather(cases, type, packed({33, 9}), repeated({33, 20}, 1), repeated({33, 9}, 1), 1);
        add_gather(cases, type, shifted(gapped({21, 35}, 3), 1), swapped({21, 50}, 0, 1), gapped({21, 35}, 1), 1);
        add_gather(cases, type, swapped({21, 35}, 0, 1), stepped({40, 35}, 2), swapped({21, 35}, 0, 1), 0, true);
        if (is_floating(type))
            add_gather(cases, type, packed({31, 37}), packed({31, 64}), packed({31, 37}), 1, false, Values::special,
                       " special");
        add_embedding(cases, type, packed({50, 64}), packed({7, 11}), packed({7, 11, 64}), true);
        add_embedding(cases, type, packed({50, 3}), packed({7, 11, 2}), packed({7, 11, 2, 3}));
        add_embedding(cases, type, gapped({9, 33}, 7), stepped({40}, 3), shifted(gapped({40, 33}, 2), 1), true);
        add_embedding(cases, type, swapped({9, 33}, 0, 1), swapped({6, 5}, 0, 1), swapped({6, 5, 33}, 0, 2));
        add_embedding(cases, type, packed({9, 5}), packed({}), packed({5}));
        add_embedding(cases, type, packed({9, 5}), packed({3, 0}), packed({3, 0, 5}));
        add_embedding(cases, type, packed({0, 5}), packed({3}), packed({3, 5}));
        add(cases, type, {.rows = 100, .columns = 64, .picks = 37});
        add(cases, type, {.rows = 33, .columns = 65, .picks = 101});
        add(cases, type, {.rows = 7, .columns = 1, .picks = 300});
        add(cases, type, {.rows = 1, .columns = 1009, .picks = 3});
        add(cases, type, {.rows = 50, .columns = 17, .picks = 0});
        add(cases, type, {.rows = 50, .columns = 0, .picks = 5});
        add(cases, type, {.rows = 41, .columns = 19, .picks = 23, .gap = 3, .shift = 1});
        add(cases, type, {.rows = 41, .columns = 19, .picks = 24, .outside = true});
        add(cases, type, {.rows = 41, .columns = 64, .picks = 24, .gap = 5, .outside = true});
        if (is_floating(type))
            add(cases, type, {.rows = 64, .columns = 33, .picks = 65, .values = Values::special, .note = " special"});
    }
}

} // namespace devq::conformance
