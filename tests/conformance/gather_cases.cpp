#include "suite.hpp"
#include <cmath>
#include <devq/ops/gather.hpp>
#include <fmt/format.h>

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

} // namespace

void add_gather_cases(std::vector<Case>& cases) {
    for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::i32}) {
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
