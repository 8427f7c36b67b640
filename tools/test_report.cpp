#include "test_report.hpp"
#include "command.hpp"
#include "output.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>

namespace devq::tools {

using Json = nlohmann::ordered_json;
using conformance::Result;
using conformance::Status;

namespace {

std::string xml(std::string_view text) {
    std::string escaped;
    for (const char c : clean(text))
        switch (c) {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default:
            escaped += c;
        }
    return escaped;
}

} // namespace

Json as_json(const Result& result) {
    Json worst = nullptr;
    if (result.worst)
        worst = {{"index", result.worst->index},
                 {"error", result.worst->error},
                 {"limit", result.worst->limit},
                 {"value", result.worst->value},
                 {"reference", result.worst->reference}};
    return {{"op", result.test->op},
            {"dtype", result.test->dtype},
            {"shape", result.test->shape},
            {"path", result.path},
            {"status", std::string(to_string(result.status))},
            {"nmse", result.nmse},
            {"worst", worst},
            {"reason", text_or_null(result.reason)},
            {"variant", text_or_null(result.variant)},
            {"elements", result.elements},
            {"seconds", result.seconds}};
}

void Tally::count(Status status) {
    (status == Status::passed ? passed : status == Status::failed ? failed : skipped) += 1;
}

std::string Tally::text() const { return fmt::format("{} passed, {} failed, {} skipped", passed, failed, skipped); }

void print_failure(const TestRun& run, const Result& result) {
    print(fmt::format("{}  {}\n", styled("FAILED", Style::bad), styled(clean(result.test->name()), Style::bold)));
    print(wrapped(result.reason, 4));
    if (!result.variant.empty())
        print(wrapped(fmt::format("path {}, variant {}", result.path, result.variant), 4));
    print(fmt::format("    seed {}; this case alone:\n    {}\n", run.seed,
                      conformance::repeat_command(run.again, run.seed, *result.test)));
}

void print_summary(const TestRun& run) {
    struct Row {
        Tally tally;
        double closest = 0, nmse = 0; ///< how near the worst element came to its limit
    };
    std::map<std::string, std::map<std::string, Row>> rows;
    for (const Result& result : run.results) {
        Row& row = rows[result.test->op][result.test->dtype];
        row.tally.count(result.status);
        row.nmse = std::max(row.nmse, result.nmse);
        if (result.worst && result.worst->error > 0)
            row.closest = std::max(row.closest, result.worst->error / result.worst->limit);
    }
    print(styled(fmt::format("{:<22} {:<5} {:>6} {:>7} {:>8} {:>14} {:>10}\n", "operation", "type", "passed", "failed",
                             "skipped", "error / limit", "nmse"),
                 Style::faint));
    for (const auto& [op, types] : rows)
        for (const auto& [type, row] : types) {
            const std::string failed = fmt::format("{:>7}", row.tally.failed);
            print(fmt::format("{:<22} {:<5} {:>6} {} {:>8} {:>14.2f} {:>10.1e}\n", op, type, row.tally.passed,
                              row.tally.failed > 0 ? styled(failed, Style::bad) : failed, row.tally.skipped,
                              row.closest, row.nmse));
        }
    for (const Result& least : run.smallest) {
        print(fmt::format("{} {}\n", styled("smallest failure:", Style::bad),
                          styled(clean(least.test->name()), Style::bold)));
        print(wrapped(least.reason, 4));
        print(fmt::format("    seed {}:\n    {}\n", run.seed,
                          conformance::repeat_command(run.again, run.seed, *least.test)));
    }
    print(run.tally.text() + "\n");
}

Json as_json(const TestRun& run) {
    Json document = {{"device", run.device},         {"seed", run.seed},
                     {"passed", run.tally.passed},   {"failed", run.tally.failed},
                     {"skipped", run.tally.skipped}, {"cases", Json::array()}};
    for (const Result& result : run.results)
        document["cases"].push_back(as_json(result));
    document["smallest_failures"] = Json::array();
    for (const Result& least : run.smallest)
        document["smallest_failures"].push_back(
            {{"op", least.test->op},
             {"dtype", least.test->dtype},
             {"shape", least.test->shape},
             {"reason", least.reason},
             {"command", conformance::repeat_command(run.again, run.seed, *least.test)}});
    return document;
}

void require_writable(const std::string& junit) {
    if (!std::ofstream(junit, std::ios::app))
        throw WrongUsage(
            fmt::format("--junit: \"{}\" cannot be written; give it a file in a folder that exists and can "
                        "be written",
                        clean(junit)));
}

void write_junit(const std::string& path, const TestRun& run) {
    double seconds = 0;
    for (const Result& result : run.results)
        seconds += result.seconds;
    std::ofstream file(path);
    file << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    file << fmt::format(
        "<testsuites><testsuite name=\"devq test {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
        xml(run.device), run.results.size(), run.tally.failed, run.tally.skipped, seconds);
    for (const Result& result : run.results) {
        file << fmt::format("<testcase classname=\"{}.{}.{}\" name=\"{}\" time=\"{:.4f}\"", xml(run.device),
                            xml(result.test->op), xml(result.test->dtype), xml(result.test->shape), result.seconds);
        if (result.status == Status::passed)
            file << "/>\n";
        else if (result.status == Status::skipped)
            file << fmt::format("><skipped message=\"{}\"/></testcase>\n", xml(result.reason));
        else
            file << fmt::format("><failure message=\"{}\">{}</failure></testcase>\n", xml(result.reason),
                                xml(conformance::repeat_command(run.device, run.seed, *result.test)));
    }
    file << "</testsuite></testsuites>\n";
    file.close();
    if (!file)
        throw std::runtime_error(fmt::format("\"{}\" could not be written", path));
}

} // namespace devq::tools
