#include "suite.hpp"
#include <cmath>
#include <devq/ops/fill.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

constexpr DType all_types[] = {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i8,  DType::u8,
                               DType::i16, DType::u16, DType::i32,  DType::u32, DType::i64, DType::u64};

void add(std::vector<Case>& cases, DType type, const Layout& layout, double value, const std::string& note) {
    cases.push_back({"fill", std::string(to_string(type)), layout.text() + " " + note, [=](Run& run) {
                         const Operand& y = run.output(type, layout);
                         run.ran(ops::fill(run.queue(), y.view(), value));
                         run.judge(
                             y, [&](const Index&, std::int64_t) { return Expected::exactly(round_to(type, value)); });
                     }});
}

} // namespace

void add_fill_cases(std::vector<Case>& cases) {
    for (const DType type : all_types) {
        const double value = is_floating(type) ? -0.7109375 : 103;
        const std::string note = fmt::format("value {}", value);
        add(cases, type, packed({1013}), value, note);
        add(cases, type, shifted(packed({7, 5}), 1), value, note);
        add(cases, type, gapped({13, 31}, 3), value, note);
        add(cases, type, packed({0, 3}), value, note);
        add(cases, type, packed({}), value, note);
        add(cases, type, swapped({3, 5, 2, 2, 1, 2, 3, 4}, 0, 7), value, note);
        add(cases, type, packed({100}), 0, "value 0");
        if (!is_floating(type))
            continue;
        const Format format = format_of(type);
        add(cases, type, packed({33}), NAN, "value nan");
        add(cases, type, packed({33}), -INFINITY, "value -inf");
        add(cases, type, packed({33}), -0.0, "value -0");
        add(cases, type, packed({33}), format.subnormal_step(), "smallest denormal");
        add(cases, type, packed({33}), format.largest, "largest");
        if (type == DType::f64)
            continue;
        add(cases, type, packed({33}), format.overflow_threshold(), "overflows");
        add(cases, type, packed({33}), 1 + format.unit_roundoff(), "tie to even below");
        add(cases, type, packed({33}), 1 + 3 * format.unit_roundoff(), "tie to even above");
        add(cases, type, packed({33}), 1 + format.unit_roundoff() + 0x1p-40, "just above a tie");
    }
}

} // namespace devq::conformance
