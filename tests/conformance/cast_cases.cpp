#include "cases.hpp"
#include <cmath>
#include <devq/ops/cast.hpp>

namespace devq::conformance {

namespace {

struct Pair {
    Layout out, in;
    std::string text;
};

void add(std::vector<Case>& cases, DType to, DType from, const Pair& pair, Values values,
         const std::string& note = {}) {
    cases.push_back(cast_case(to, from, pair.text + note, pair.out, pair.in, values));
}

/// All 65536 values of a 16-bit type, NaNs and denormals included.
void add_every_value(std::vector<Case>& cases, DType to, DType from) {
    cases.push_back({"cast", std::string(to_string(to)), "from " + std::string(to_string(from)) + " 65536 every value",
                     [=](Run& run) {
                         const Operand& x = run.input(from, packed({65536}), [=](const Index& i) {
                             const auto bits = static_cast<std::uint16_t>(i[0]);
                             return decode(from, reinterpret_cast<const std::byte*>(&bits));
                         });
                         const Operand& y = run.output(to, packed({65536}));
                         run.ran(ops::cast(run.queue(), y.view(), x.view()));
                         run.judge(y,
                                   [&](const Index& i, std::int64_t) { return Expected::exactly(round_to(to, x(i))); });
                     }});
}

/// Values on and beside the ties of the narrower type, at every exponent it has.
void add_ties(std::vector<Case>& cases, DType to) {
    cases.push_back(
        {"cast", std::string(to_string(to)), "from f32 16384 ties", [=](Run& run) {
             const Format format = format_of(to);
             const Operand& x = run.input(DType::f32, packed({16384}), [&](const Index&) {
                 const int low = format.smallest_exponent - format.precision;
                 const int high = to == DType::f16 ? 16 : 127;
                 const int exponent = low + static_cast<int>(run.random().below(high - low + 1));
                 const double unit = std::ldexp(format.unit_roundoff(), exponent);
                 const double lattice =
                     std::ldexp(1, exponent) +
                     unit * static_cast<double>(run.random().below(std::int64_t{1} << format.precision));
                 const double nudge = (static_cast<double>(run.random().below(3)) - 1) * std::ldexp(0x1p-23, exponent);
                 return (run.random().one_in(2) ? 1 : -1) * (lattice + nudge);
             });
             const Operand& y = run.output(to, packed({16384}));
             run.ran(ops::cast(run.queue(), y.view(), x.view()));
             run.judge(y, [&](const Index& i, std::int64_t) { return Expected::exactly(round_to(to, x(i))); });
         }});
}

} // namespace

Case cast_case(DType to, DType from, const std::string& shape, const Layout& out, const Layout& in, Values values) {
    return {"cast", std::string(to_string(to)), "from " + std::string(to_string(from)) + " " + shape, [=](Run& run) {
                const Operand& x = run.input(from, in, values);
                const Operand& y = run.output(to, out);
                run.ran(ops::cast(run.queue(), y.view(), x.view()));
                const int rank = out.sizes.rank();
                run.judge(y, [&](const Index& i, std::int64_t) {
                    return Expected::exactly(round_to(to, x(broadcast_index(i, rank, in.sizes))));
                });
            }};
}

void add_cast_cases(std::vector<Case>& cases) {
    const auto same = [](const Layout& layout) { return Pair{layout, layout, layout.text()}; };
    for (const DType to : storage_types) {
        for (const DType from : storage_types) {
            add(cases, to, from, same(packed({1021})), Values::wide);
            add(cases, to, from, same(packed({4099})), Values::special, " special");
            add(cases, to, from, same(packed({20011})), Values::any_bits, " any bits");
            add(cases, to, from, {packed({4, 3, 33}), packed({3, 1}), "4x3x33 in 3x1 broadcast"}, Values::wide);
            add(cases, to, from, same(packed({})), Values::wide);
            add(cases, to, from, same(packed({3, 0})), Values::wide);
            add(cases, to, from, same(shifted(packed({35}), 1)), Values::wide);
            add(cases, to, from, {gapped({23, 41}, 3), swapped({23, 41}, 0, 1), "23x41 out gap3 in t01"}, Values::wide);
            add(cases, to, from, {packed({5, 6, 7}), repeated({5, 6, 7}, 5), "5x6x7 in rep02"}, Values::wide);
            add(cases, to, from, same(packed({2, 3, 1, 2, 2, 3, 2, 3})), Values::wide);
            if (from != DType::f32)
                add_every_value(cases, to, from);
        }
        if (to != DType::f32)
            add_ties(cases, to);
    }
}

} // namespace devq::conformance
