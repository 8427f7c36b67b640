#include "command.hpp"
#include "conformance/suite.hpp"
#include "output.hpp"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <devq/devq.hpp>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <unistd.h>

namespace devq::tools {

namespace {

using Json = nlohmann::ordered_json;
using conformance::Case;
using conformance::Result;
using conformance::Status;

struct Options {
    std::string device, mode = "test", junit;
    conformance::Filter filter;
    std::uint64_t seed = 0;
    bool seed_given = false, json = false;
};

struct Tally {
    std::size_t passed = 0, failed = 0, skipped = 0;
    void count(Status status) {
        (status == Status::passed ? passed : status == Status::failed ? failed : skipped) += 1;
    }
    std::string text() const { return fmt::format("{} passed, {} failed, {} skipped", passed, failed, skipped); }
};

/// What stderr says when a case ends the process: a driver may crash, and the case must be known.
class CrashNote {
public:
    CrashNote() {
        for (const int signal : signals)
            std::signal(signal, say);
    }
    ~CrashNote() {
        for (const int signal : signals)
            std::signal(signal, SIG_DFL);
    }
    CrashNote(const CrashNote&) = delete;
    CrashNote& operator=(const CrashNote&) = delete;

    static void set(const std::string& text) {
        const std::size_t size = std::min(text.size(), sizeof text_ - 1);
        std::memcpy(text_, text.data(), size);
        text_[size] = '\n';
        size_ = size + 1;
    }

private:
    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static void say(int signal) {
        (void)!write(STDERR_FILENO, text_, size_); // all that is safe here
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    static inline char text_[1024];
    static inline std::size_t size_ = 0;
};

/// One line on stderr that is drawn over itself; nothing where stderr is no terminal.
class ProgressBar {
public:
    explicit ProgressBar(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0 && total > 0) {}
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void step(std::size_t done, std::size_t failed, std::string_view name) {
        const auto now = std::chrono::steady_clock::now();
        if (!shown_ || (now - drawn_ < std::chrono::milliseconds(50) && done < total_))
            return;
        drawn_ = now;
        constexpr std::size_t width = 24;
        const std::size_t filled = width * done / total_;
        std::string bar;
        for (std::size_t i = 0; i < width; ++i)
            bar += i < filled ? "█" : "░";
        const std::string counts =
            fmt::format(" {}/{}{} ", done, total_, failed > 0 ? fmt::format(", {} failed", failed) : "");
        fmt::print(stderr, "\r{}{}{}", bar, counts, fitted(name, page_width - 1 - width - counts.size()));
        std::fflush(stderr);
    }
    void clear() {
        if (shown_)
            fmt::print(stderr, "\r{}\r", std::string(page_width - 1, ' '));
    }

private:
    std::size_t total_;
    bool shown_;
    std::chrono::steady_clock::time_point drawn_{};
};

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
            {"reason", result.reason.empty() ? Json(nullptr) : Json(result.reason)},
            {"variant", result.variant.empty() ? Json(nullptr) : Json(result.variant)},
            {"seconds", result.seconds}};
}

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

/// Before the tests run, not after.
void require_writable(const std::string& path) {
    if (!std::ofstream(path, std::ios::app))
        throw Error(ErrorCode::invalid_argument, "devq test", fmt::format("\"{}\" cannot be written", clean(path)),
                    "Give --junit a file in a folder that exists and can be written.");
}

void write_junit(const std::string& path, const std::string& device, std::uint64_t seed,
                 const std::vector<Result>& results, const Tally& tally) {
    double seconds = 0;
    for (const Result& result : results)
        seconds += result.seconds;
    std::ofstream file(path);
    file << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    file << fmt::format(
        "<testsuites><testsuite name=\"devq test {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
        xml(device), results.size(), tally.failed, tally.skipped, seconds);
    file << fmt::format("<properties><property name=\"seed\" value=\"{}\"/></properties>\n", seed);
    for (const Result& result : results) {
        file << fmt::format("<testcase classname=\"{}.{}.{}\" name=\"{}\" time=\"{:.4f}\"", xml(device),
                            xml(result.test->op), xml(result.test->dtype), xml(result.test->shape), result.seconds);
        if (result.status == Status::passed)
            file << "/>\n";
        else if (result.status == Status::skipped)
            file << fmt::format("><skipped message=\"{}\"/></testcase>\n", xml(result.reason));
        else
            file << fmt::format("><failure message=\"{}\">{}</failure></testcase>\n", xml(result.reason),
                                xml(conformance::repeat_command(device, seed, *result.test)));
    }
    file << "</testsuite></testsuites>\n";
    file.close();
    if (!file)
        throw std::runtime_error(fmt::format("\"{}\" could not be written", path));
}

/// The part of a --device text that selects the same device again: a list may fall through to another device later.
std::string device_to_repeat(const Options& options, const Device& device) {
    return options.device.empty() || options.device.find(',') != std::string::npos ? device.info().id : options.device;
}

void print_failure(const std::string& device, std::uint64_t seed, const Result& result) {
    print(fmt::format("{}  {}\n", styled("FAILED", Style::bad), styled(clean(result.test->name()), Style::bold)));
    print(wrapped(result.reason, 4));
    if (!result.variant.empty())
        print(wrapped(fmt::format("path {}, variant {}", result.path, result.variant), 4));
    print(fmt::format("    seed {}; this case alone:\n    {}\n", seed,
                      conformance::repeat_command(device, seed, *result.test)));
}

/// A row an operation and type: how many cases, and how close the worst element came to its limit.
void print_summary(const std::vector<Result>& results) {
    struct Row {
        Tally tally;
        double closest = 0, nmse = 0;
    };
    std::map<std::string, std::map<std::string, Row>> rows;
    for (const Result& result : results) {
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
}

int wrong_usage(const std::string& message) {
    fmt::print(stderr, "devq test: {}\n", message);
    return exit_usage;
}

std::string joined(const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? word : ' ' + word);
    return text;
}

int check_options(const Options& options) {
    if (options.mode == "grad" || options.mode == "support" || options.mode == "perf")
        return wrong_usage(fmt::format("mode \"{}\" comes in a later version; this one has --mode test", options.mode));
    if (options.mode != "test")
        return wrong_usage(fmt::format("there is no mode \"{}\"; use --mode test", clean(options.mode)));
    if (conformance::select(options.filter).empty()) {
        std::set<std::string> operations, types;
        for (const Case& test : conformance::all_cases()) {
            operations.insert(test.op);
            types.insert(test.dtype);
        }
        return wrong_usage(
            fmt::format("no case matches --op '{}' --dtype '{}'{}\n\noperations:\n{}types:\n{}",
                        clean(options.filter.op), clean(options.filter.dtype),
                        options.filter.shape == "*" ? "" : fmt::format(" --shape '{}'", clean(options.filter.shape)),
                        wrapped(joined(operations), 2), wrapped(joined(types), 2)));
    }
    return exit_done;
}

int test(Options options) {
    if (const int code = check_options(options); code != exit_done)
        return code;
    const std::vector<const Case*> cases = conformance::select(options.filter);
    if (!options.junit.empty())
        require_writable(options.junit);
    const Device device = open_device(options.device);
    const std::uint64_t seed = options.seed_given ? options.seed : std::random_device{}();
    const std::string id = device.info().id, again = device_to_repeat(options, device);
    if (!options.json)
        print(fmt::format("{}  {}\n{} cases, seed {}\n", styled(id, Style::bold), clean(device.info().name),
                          cases.size(), seed));
    finish_output(); // a crash must not take it along

    const Queue queue = device.create_queue();
    std::vector<Result> results;
    Tally tally;
    bool device_gone = false;
    {
        ProgressBar bar(cases.size());
        const CrashNote note;
        for (const Case* const test : cases) {
            CrashNote::set(fmt::format("\ndevq test: the process ended in {}\n    {}", test->name(),
                                       conformance::repeat_command(again, seed, *test)));
            bar.step(results.size(), tally.failed, test->name());
            results.push_back(run_case(queue, *test, seed, conformance::known_exceptions()));
            const Result& result = results.back();
            tally.count(result.status);
            if (!options.json && result.status == Status::failed) {
                bar.clear();
                print_failure(again, seed, result);
                finish_output();
            }
            if (!options.json && result.status == Status::skipped) { // the line that tests/run reads
                bar.clear();
                print(fmt::format("skipped: {}: {}\n", clean(test->name()), clean(result.reason)));
            }
            device_gone = result.device_gone;
            if (device_gone)
                break;
        }
    }
    if (!options.junit.empty())
        write_junit(options.junit, id, seed, results, tally);
    if (options.json) {
        Json document = {{"device", id},
                         {"seed", seed},
                         {"passed", tally.passed},
                         {"failed", tally.failed},
                         {"skipped", tally.skipped},
                         {"cases", Json::array()}};
        for (const Result& result : results)
            document["cases"].push_back(as_json(result));
        print_json(document);
    } else {
        print_summary(results);
        print(tally.text() + "\n");
    }
    if (device_gone) {
        fmt::print(stderr, "devq test: {} was lost after {} of {} cases\n", id, results.size(), cases.size());
        return exit_failed;
    }
    return tally.failed > 0 || tally.passed == 0 ? exit_check_failed : exit_done;
}

} // namespace

void add_test_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* const command = app.add_subcommand("test", "Run the portable kernel test suite on a device");
    command->add_option("--device", options->device, "Selector of the device (default: what a program would get)");
    command->add_option("--mode", options->mode, "test; grad, support and perf come in later versions")
        ->type_name("MODE");
    command->add_option("--op", options->filter.op, "Only operations that match, e.g. 'reduce_*'")->type_name("GLOB");
    command->add_option("--dtype", options->filter.dtype, "Only results of this type: f32, f16, bf16, ...")
        ->type_name("T");
    command->add_option("--shape", options->filter.shape, "Only cases of this shape, as a failure names it")
        ->type_name("GLOB");
    const CLI::Option* const seed =
        command->add_option("--seed", options->seed, "Repeat the numbers of an earlier run")->type_name("N");
    command->add_flag("--quick", options->filter.quick, "A spread of about a quarter of the cases");
    command->add_option("--junit", options->junit, "Also write the results for a CI system")->type_name("FILE");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, seed, &exit_code] {
        options->seed_given = seed->count() > 0;
        exit_code = test(*options);
    });
}

} // namespace devq::tools
