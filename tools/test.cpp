#include "command.hpp"
#include "conformance/smallest.hpp"
#include "conformance/suite.hpp"
#include "crash_note.hpp"
#include "joined.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "test_report.hpp"
#include <devq/devq.hpp>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <set>

namespace devq::tools {

namespace {

using conformance::Case;
using conformance::Result;
using conformance::Status;

struct Options {
    std::string device, mode = "test", junit;
    conformance::Filter filter;
    std::uint64_t seed = 0;
    bool seed_given = false, json = false;
};

void check_options(const Options& options) {
    if (options.mode == "perf")
        throw WrongUsage("mode \"perf\" comes in a later version; use test, grad or support");
    if (options.mode != "test" && options.mode != "grad" && options.mode != "support")
        throw WrongUsage(fmt::format("there is no mode \"{}\"; use test, grad or support", clean(options.mode)));
    if (options.mode == "support" && options.filter.shape != "*")
        throw WrongUsage("--shape is for the modes test and grad; support picks its own");
    if (!conformance::select(options.filter).empty())
        return;
    std::set<std::string> operations, types;
    for (const Case& test : options.filter.grad ? conformance::all_grad_cases() : conformance::all_cases()) {
        operations.insert(test.op);
        types.insert(test.dtype);
    }
    throw WrongUsage(
        fmt::format("no case matches --op '{}' --dtype '{}'{}\n\noperations:\n{}types:\n{}", clean(options.filter.op),
                    clean(options.filter.dtype),
                    options.filter.shape == "*" ? "" : fmt::format(" --shape '{}'", clean(options.filter.shape)),
                    wrapped(detail::joined(operations, " "), 2), wrapped(detail::joined(types, " "), 2)));
}

/// The part of a --device text that selects the same device again: a list may fall through to another device later.
std::string device_to_repeat(const Options& options, const Device& device) {
    return options.device.empty() || options.device.find(',') != std::string::npos ? device.info().id : options.device;
}

/// Runs the cases, in text mode with a line for each that did not pass. True when the device was lost on the way.
bool run_cases(const Queue& queue, const std::vector<const Case*>& cases, bool json, TestRun& run) {
    ProgressBar bar(cases.size());
    const CrashNote note;
    for (const Case* const test : cases) {
        CrashNote::set(fmt::format("\ndevq test: the process ended in {}\n    {}", test->name(),
                                   conformance::repeat_command(run.again, run.seed, *test)));
        bar.step(run.results.size(), run.tally.failed, test->name());
        run.results.push_back(run_case(queue, *test, run.seed, conformance::known_exceptions()));
        const Result& result = run.results.back();
        run.tally.count(result.status);
        if (!json && result.status == Status::failed) {
            bar.clear();
            print_failure(run, result);
            finish_output();
        }
        if (!json && result.status == Status::skipped) { // the line that tests/run reads
            bar.clear();
            print(fmt::format("skipped: {}: {}\n", clean(test->name()), clean(result.reason)));
        }
        if (result.device_gone)
            return true;
    }
    return false;
}

int test(const Options& options) {
    check_options(options);
    const std::vector<const Case*> cases = conformance::select(options.filter);
    if (!options.junit.empty())
        require_writable(options.junit);
    const Device device = choose_device(options.device);
    TestRun run;
    run.device = device.info().id;
    run.again = device_to_repeat(options, device);
    run.seed = options.seed_given ? options.seed : std::random_device{}();
    if (!options.json)
        print(fmt::format("{}  {}\n{}seed {}\n", styled(run.device, Style::bold), clean(device.info().name),
                          options.mode == "support" ? std::string() : fmt::format("{} cases, ", cases.size()),
                          run.seed));
    finish_output(); // a crash must not take it along

    const Queue queue = device.create_queue();
    if (options.mode == "support")
        return test_support(queue, options.filter, run, options.json, options.junit);
    const bool device_gone = run_cases(queue, cases, options.json, run);
    if (!device_gone && run.tally.failed > 0)
        run.smallest = conformance::smallest_failures(queue, run.results, run.seed);
    if (!options.junit.empty())
        write_junit(options.junit, run);
    if (options.json)
        print_json(as_json(run));
    else
        print_summary(run);
    if (device_gone) {
        complain("devq test",
                 fmt::format("{} was lost after {} of {} cases", run.device, run.results.size(), cases.size()));
        return exit_failed;
    }
    return run.tally.failed > 0 || run.tally.passed == 0 ? exit_check_failed : exit_done;
}

} // namespace

void add_test_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* const command = app.add_subcommand("test", "Run the portable kernel test suite on a device");
    const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
        command->add_option(name, value, help)->type_name(type)->check(not_empty());
    };
    text("--device", options->device, "Selector of the device (default: what a program would get)", "SELECTOR");
    text("--mode", options->mode, "test, grad (gradients against differences in f64) or support", "MODE");
    text("--op", options->filter.op, "Only operations that match, e.g. 'reduce_*'", "GLOB");
    text("--dtype", options->filter.dtype, "Only results of this type: f32, f16, bf16, ...", "T");
    text("--shape", options->filter.shape, "Only cases of this shape, as a failure names it", "GLOB");
    const CLI::Option* const seed = command->add_option("--seed", options->seed, "Repeat the numbers of an earlier run")
                                        ->type_name("N")
                                        ->check(unsigned_number());
    add_flag(*command, "--quick", options->filter.quick, "A spread of about a quarter of the cases");
    text("--junit", options->junit, "Also write the results for a CI system", "FILE");
    add_flag(*command, "--json", options->json, "Print one JSON document");
    command->callback([options, seed, &exit_code] {
        options->seed_given = seed->count() > 0;
        options->filter.grad = options->mode == "grad";
        exit_code = test(*options);
    });
}

} // namespace devq::tools
