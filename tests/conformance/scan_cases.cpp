#include "bounds.hpp"
#include "suite.hpp"
#include <cmath>
#include <devq/ops/scan.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Shape {
    Layout in;
    int axis = -1;
    Values values = Values::wide;
    const char* note = "";
    std::optional<Layout> out = {};
    bool in_place = false;
    bool exclusive = false;
    bool reverse = false;
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    const std::string shape = fmt::format("{}{} axis {}{}{}{}{}", s.in.text(), s.out ? " out" + s.out->note : "",
                                          s.axis, s.exclusive ? " exclusive" : "", s.reverse ? " reverse" : "",
                                          s.in_place ? " in place" : "", s.note);
    cases.push_back(
        {"scan", std::string(to_string(type)), shape, [=](Run& run) {
             const auto along = static_cast<std::size_t>(s.axis < 0 ? s.axis + s.in.sizes.rank() : s.axis);
             const auto value = [&](const Index&) {
                 if (s.values == Values::special) // the largest numbers' sums depend on their order
                     return run.random().one_in(40) ? NAN : draw(run.random(), Values::risky, type);
                 return is_floating(type) ? draw(run.random(), s.values, type)
                                          : static_cast<double>(run.random().below(std::int64_t{1} << 32)) - 0x1p31;
             };
             const Operand& x = s.in_place ? run.in_place(type, s.in, value) : run.input(type, s.in, value);
             const Operand& y = s.in_place ? x : run.output(type, s.out ? *s.out : packed(s.in.sizes));
             run.ran(ops::scan(run.queue(), y.view(), x.view(),
                               {.axis = s.axis, .exclusive = s.exclusive, .reverse = s.reverse}));
             // Of as many additions as there are terms, less one: the sums so far, row by row.
             std::vector<Expected> expected(static_cast<std::size_t>(s.in.elements()));
             Dims rows = s.in.sizes;
             if (s.in.elements() > 0)
                 rows[static_cast<int>(along)] = 1;
             const Layout numbers = packed(s.in.sizes);
             for_each_index(rows, [&](const Index& row, std::int64_t) {
                 double sum = 0, terms = 0;
                 std::uint32_t whole = 0;
                 Index i = row;
                 for (std::int64_t j = 0; j < s.in.sizes[static_cast<int>(along)]; ++j) {
                     i[along] = s.reverse ? s.in.sizes[static_cast<int>(along)] - 1 - j : j;
                     const double count = static_cast<double>(s.exclusive ? j : j + 1);
                     const double before = sum, terms_before = terms;
                     const std::uint32_t whole_before = whole;
                     sum += x(i);
                     terms += std::fabs(x(i));
                     if (!is_floating(type))
                         whole += static_cast<std::uint32_t>(static_cast<std::int64_t>(x(i)));
                     const double reference = s.exclusive ? before : sum;
                     Expected& e = expected[static_cast<std::size_t>(numbers.at(i))];
                     if (!is_floating(type))
                         e = Expected::exactly(static_cast<std::int32_t>(s.exclusive ? whole_before : whole));
                     else if (std::isfinite(reference) && count > 1)
                         e = {reference, gamma(count - 1) * (s.exclusive ? terms_before : terms)};
                     else
                         e = {reference};
                 }
             });
             run.judge(y,
                       [&](const Index&, std::int64_t linear) { return expected[static_cast<std::size_t>(linear)]; });
         }});
}

} // namespace

void add_scan_cases(std::vector<Case>& cases) {
    constexpr DType types[] = {DType::f32, DType::f16, DType::bf16, DType::i32};
    for (const DType type : types)
        for (const bool exclusive : {false, true}) {
            const auto scan = [&](Shape s) {
                s.exclusive = exclusive;
                add(cases, type, s);
            };
            scan({.in = packed({33, 65})});
            scan({.in = packed({33, 65}), .axis = 0});
            scan({.in = packed({7, 129, 5}), .axis = 1});
            scan({.in = packed({1, 1})});
            scan({.in = packed({513, 1})});
            scan({.in = packed({1}), .axis = 0});
            scan({.in = packed({20011}), .axis = 0, .values = Values::unit});
            scan({.in = packed({2, 9001}), .values = Values::unit});
            scan({.in = packed({20011, 3}), .axis = 0, .values = Values::unit});
            scan({.in = packed({5, 700, 40}), .axis = 1, .values = Values::unit});
            scan({.in = packed({0, 5})});
            scan({.in = packed({5, 0})});
            scan({.in = shifted(gapped({41, 35}, 3), 1)});
            scan({.in = stepped({11, 300}, 2), .out = shifted(gapped({11, 300}, 1), 3)});
            scan({.in = swapped({41, 35}, 0, 1), .axis = 1});
            scan({.in = swapped({41, 35}, 0, 1), .axis = 0, .out = packed({41, 35})});
            scan({.in = repeated({5, 60}, 2)});
            scan({.in = packed({2, 3, 2, 1, 25, 2, 3}), .axis = 4});
            scan({.in = gapped({23, 370}, 3), .in_place = true});
            scan({.in = packed({9000}), .axis = 0, .values = Values::unit, .in_place = true});
            scan({.in = packed({37, 64}), .axis = 0, .in_place = true});
            scan({.in = packed({33, 65}), .reverse = true});
            scan({.in = packed({33, 65}), .axis = 0, .reverse = true});
            scan({.in = packed({9000}), .axis = 0, .values = Values::unit, .in_place = true, .reverse = true});
            scan({.in = gapped({11, 300}, 3), .out = swapped({11, 300}, 0, 1), .reverse = true});
            if (is_floating(type)) {
                scan({.in = packed({64, 37}), .values = Values::risky, .note = " inf denormal"});
                scan({.in = packed({37, 64}), .axis = 0, .values = Values::risky, .note = " inf denormal"});
                scan({.in = packed({12000}), .axis = 0, .values = Values::risky, .note = " inf denormal"});
                scan({.in = packed({64, 37}), .values = Values::special, .note = " nan"});
                scan({.in = packed({37, 64}), .axis = 0, .values = Values::special, .note = " nan"});
                scan({.in = packed({12, 64}), .values = Values::equal, .note = " equal"});
                scan({.in = packed({12, 64}), .values = Values::minus_infinity, .note = " -inf"});
            }
        }
}

} // namespace devq::conformance
