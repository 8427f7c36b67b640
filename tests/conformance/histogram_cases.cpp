#include "suite.hpp"
#include <cmath>
#include <devq/ops/histogram.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Shape {
    Layout in;
    std::int64_t bins;
    float low = -1, high = 1;
    Values values = Values::unit;
    const char* note = "";
    std::int64_t step = 1; ///< of the counts in their memory
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    const std::string shape = fmt::format("{} bins{} {}..{}{}{}", s.in.text(), s.bins, s.low, s.high, s.note,
                                          s.step > 1 ? fmt::format(" step{}", s.step) : "");
    cases.push_back({"histogram", std::string(to_string(type)), shape, [=](Run& run) {
                         const float width = s.high - s.low;
                         const auto scale = static_cast<float>(s.bins) / width; // both exact in the cases below
                         const Operand& x = run.input(type, s.in, [&](const Index&) {
                             if (s.values == Values::unit && run.random().one_in(4)) // on the edge of a bin
                                 return s.low + static_cast<double>(run.random().below(s.bins + 1)) / scale;
                             return draw(run.random(), s.values, type);
                         });
                         const Operand& counts = run.output(DType::i32, stepped({s.bins}, s.step));
                         run.ran(ops::histogram(run.queue(), counts.view(), x.view(), s.low, s.high));
                         std::vector<double> expected(static_cast<std::size_t>(s.bins));
                         for_each_index(s.in.sizes, [&](const Index& i, std::int64_t) {
                             const auto value = static_cast<float>(x(i));
                             if (!(value >= s.low && value <= s.high))
                                 return;
                             const float above = value - s.low;
                             const auto bin = static_cast<std::int64_t>(std::floor(above * scale));
                             expected[static_cast<std::size_t>(std::min(bin, s.bins - 1))]++;
                         });
                         run.judge(counts, [&](const Index& i, std::int64_t) {
                             return Expected::exactly(expected[static_cast<std::size_t>(i[0])]);
                         });
                     }});
}

} // namespace

void add_histogram_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        const auto count = [&](const Shape& s) { add(cases, type, s); };
        count({packed({33, 65}), 16});
        count({packed({50000}), 100});
        count({packed({7, 31, 5}), 1});
        count({packed({1}), 3});
        count({packed({3000}), 5000}); // more than a group counts for itself
        count({packed({3000}), 2048, -8, 8, Values::wide});
        count({packed({0, 5}), 7});
        count({packed({}), 7});
        count({packed({64, 37}), 10, -2, 2, Values::special, " special"});
        count({packed({64, 37}), 4096, -2, 2, Values::special, " special"});
        count({packed({16, 64}), 8, 0, 1, Values::equal, " equal"});
        count({shifted(gapped({21, 35}, 3), 1), 32});
        count({swapped({21, 35}, 0, 1), 32, -0.5F, 0.5F});
        count({repeated({5, 6, 7}, 2), 5, -1, 1, Values::unit, "", 3});
    }
}

} // namespace devq::conformance
