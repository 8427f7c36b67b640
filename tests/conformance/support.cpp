#include "support.hpp"
#include "smallest.hpp"
#include <algorithm>
#include <fnmatch.h>

namespace devq::conformance {

namespace {

constexpr Gap gaps_of_this_version[] = {
    {"count_step", "f32", "a count of steps is an i32"},
    {"count_step", "f16", "a count of steps is an i32"},
    {"count_step", "bf16", "a count of steps is an i32"},
    {"random_bits", "f32", "random words are u32; uniform and normal make numbers of them"},
    {"random_bits", "f16", "random words are u32; uniform and normal make numbers of them"},
    {"random_bits", "bf16", "random words are u32; uniform and normal make numbers of them"},
    {"update_loss_scale", "f16", "a loss scale is an f32, whatever the type of the gradients"},
    {"update_loss_scale", "bf16", "a loss scale is an f32, whatever the type of the gradients"},
};

bool fits(std::string_view glob, const std::string& text) {
    return fnmatch(std::string(glob).c_str(), text.c_str(), 0) == 0;
}

const Gap* find_gap(std::span<const Gap> gaps, const std::string& op, const std::string& dtype) {
    for (const Gap& gap : gaps)
        if (fits(gap.op, op) && fits(gap.dtype, dtype))
            return &gap;
    return nullptr;
}

std::vector<const Case*> cases_of(const std::string& op, const std::string& dtype) {
    std::vector<const Case*> cases;
    for (const Case& test : all_cases())
        if (test.op == op && test.dtype == dtype && size_hint(test.shape) > 0)
            cases.push_back(&test);
    return by_size(std::move(cases));
}

} // namespace

std::span<const Gap> known_gaps() { return gaps_of_this_version; }

std::vector<std::pair<std::string, std::string>> support_rows(const Filter& filter) {
    std::vector<std::pair<std::string, std::string>> rows;
    const auto add = [&](const std::string& op, const std::string& dtype) {
        const std::pair<std::string, std::string> row(op, dtype);
        if (fits(filter.op, op) && fits(filter.dtype, dtype) && std::find(rows.begin(), rows.end(), row) == rows.end())
            rows.push_back(row);
    };
    std::string last;
    for (const Case& test : all_cases()) {
        if (test.op != last)
            for (const DType type : storage_types)
                add(test.op, std::string(to_string(type)));
        last = test.op;
        add(test.op, test.dtype);
    }
    return rows;
}

SupportRow try_support(const Queue& queue, const std::string& op, const std::string& dtype, std::uint64_t seed,
                       bool quick, std::span<const Gap> gaps) {
    SupportRow row;
    row.op = op;
    row.dtype = dtype;
    const auto ends = [&](bool failed, std::string reason) {
        row.supported = false;
        row.failed = failed || reason.empty();
        row.reason = reason.empty() ? "no reason is written" : std::move(reason);
        return row;
    };
    const Gap* const gap = find_gap(gaps, op, dtype);
    const std::vector<const Case*> cases = cases_of(op, dtype);
    if (cases.empty())
        return gap != nullptr ? ends(false, std::string(gap->reason))
                              : ends(true, "the suite has no case of it, and no reason why there is none");
    if (gap != nullptr)
        return ends(true, "stale: it has cases, remove \"" + std::string(gap->reason) + "\" from the list of gaps");
    std::size_t next = 0;
    // An empty shape that the text does not show runs nothing: the next one, then.
    const auto run_from = [&](std::size_t first) -> Result {
        Result result;
        for (next = first; next < cases.size();) {
            result = run_case(queue, *cases[next++], seed, known_exceptions());
            if (result.status != Status::passed || result.path != "none")
                break;
        }
        return result;
    };
    const auto look = [&](const Result& result) {
        if (result.test == nullptr || result.path == "none")
            return result.status == Status::passed;
        if (std::find(row.paths.begin(), row.paths.end(), result.path) == row.paths.end())
            row.paths.push_back(result.path);
        return result.status == Status::passed;
    };
    std::vector<std::size_t> starts{0};
    if (!quick) {
        starts.push_back(cases.size() / 2);
        starts.push_back(cases.size() - 1);
    }
    for (const std::size_t start : starts) {
        if (start > 0 && start < next)
            continue; // few cases: it ran already
        const Result result = run_from(start);
        if (start == 0)
            row.smallest = result;
        if (!look(result))
            return ends(result.status == Status::failed && !result.unsupported,
                        start == 0 ? result.reason : result.test->shape + ": " + result.reason);
    }
    if (row.paths.empty())
        return ends(true, "none of its cases ran anything on the device");
    row.supported = true;
    return row;
}

} // namespace devq::conformance
