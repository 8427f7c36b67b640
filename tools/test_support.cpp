// `devq test --mode support`: which operation runs in which type on a device, and by which path.
#include "command.hpp"
#include "conformance/support.hpp"
#include "crash_note.hpp"
#include "joined.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "test_report.hpp"
#include <deque>
#include <fmt/format.h>
#include <map>

namespace devq::tools {

namespace {

using conformance::SupportRow;
using Json = nlohmann::ordered_json;

Json as_json(const SupportRow& row) {
    Json entry = {{"op", row.op}, {"dtype", row.dtype}, {"shape", nullptr}, {"path", "none"}};
    if (row.smallest.test != nullptr)
        entry = tools::as_json(row.smallest);
    entry["status"] = row.supported ? "supported" : "unsupported";
    entry["reason"] = text_or_null(row.reason);
    entry["paths"] = row.paths;
    entry["failed"] = row.failed;
    return entry;
}

/// The rows as results of cases, which live in `cases`.
TestRun as_run(TestRun run, const std::vector<SupportRow>& rows, std::deque<conformance::Case>& cases) {
    for (const SupportRow& row : rows) {
        conformance::Result result = row.smallest;
        result.test = &cases.emplace_back(conformance::Case{row.op, row.dtype, "support", {}});
        result.status = row.supported ? conformance::Status::passed
                        : row.failed  ? conformance::Status::failed
                                      : conformance::Status::skipped;
        result.reason = row.reason;
        run.results.push_back(std::move(result));
    }
    return run;
}

/// One line an operation: its path in each of the usual types, then the other types it has.
void print_table(const std::vector<SupportRow>& rows) {
    static constexpr std::string_view usual[] = {"f32", "f16", "bf16"};
    std::vector<std::string> operations;
    std::map<std::string, std::map<std::string, const SupportRow*>> table;
    for (const SupportRow& row : rows) {
        if (table.count(row.op) == 0)
            operations.push_back(row.op);
        table[row.op][row.dtype] = &row;
    }
    print(
        styled(fmt::format("{:<23}{:<15}{:<15}{:<15}{}\n", "operation", "f32", "f16", "bf16", "others"), Style::faint));
    for (const std::string& op : operations) {
        auto& types = table[op];
        std::string line = fitted(op, 22) + " ";
        for (const std::string_view type : usual) {
            const auto found = types.find(std::string(type));
            if (found == types.end()) {
                line += std::string(15, ' ');
                continue;
            }
            const SupportRow& row = *found->second;
            line += styled(fitted(row.supported ? detail::joined(row.paths, ", ")
                                  : row.failed  ? "FAILED"
                                                : "-",
                                  14),
                           row.failed ? Style::bad : Style::plain) +
                    " ";
            types.erase(found);
        }
        std::vector<std::string> others;
        for (const auto& [type, row] : types)
            if (row->supported)
                others.push_back(type);
        line += detail::joined(others, " ");
        print(line.substr(0, line.find_last_not_of(' ') + 1) + "\n");
    }
    for (const SupportRow& row : rows)
        if (!row.supported)
            print(wrapped(
                fmt::format("{} {}: {}{}", row.op, row.dtype, row.failed ? "FAILED: " : "", clean(row.reason)), 0));
}

} // namespace

int test_support(const Queue& queue, const conformance::Filter& filter, TestRun& run, bool json,
                 const std::string& junit) {
    const auto names = conformance::support_rows(filter);
    std::vector<SupportRow> rows;
    std::deque<conformance::Case> stand_ins;
    {
        ProgressBar bar(names.size());
        const CrashNote note;
        for (const auto& [op, dtype] : names) {
            CrashNote::set(fmt::format("\ndevq test: the process ended in {} {}", op, dtype));
            bar.step(rows.size(), run.tally.failed, op + " " + dtype);
            rows.push_back(conformance::try_support(queue, op, dtype, run.seed, filter.quick));
            const SupportRow& row = rows.back();
            run.tally.count(row.supported ? conformance::Status::passed
                            : row.failed  ? conformance::Status::failed
                                          : conformance::Status::skipped);
            if (row.smallest.device_gone)
                break;
        }
    }
    if (!junit.empty())
        write_junit(junit, as_run(run, rows, stand_ins));
    if (json) {
        Json document = {{"device", run.device},       {"seed", run.seed},           {"mode", "support"},
                         {"passed", run.tally.passed}, {"failed", run.tally.failed}, {"skipped", run.tally.skipped},
                         {"cases", Json::array()}};
        for (const SupportRow& row : rows)
            document["cases"].push_back(as_json(row));
        print_json(document);
    } else {
        print_table(rows);
        print(run.tally.text() + "\n");
    }
    if (!rows.empty() && rows.back().smallest.device_gone)
        return exit_failed;
    return run.tally.failed > 0 || run.tally.passed == 0 ? exit_check_failed : exit_done;
}

} // namespace devq::tools
