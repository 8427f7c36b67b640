#include "command.hpp"
#include "device_text.hpp"
#include "output.hpp"
#include "run_arguments.hpp"
#include "run_compare.hpp"
#include "source_options.hpp"
#include "stdout_aside.hpp"
#include <algorithm>
#include <chrono>
#include <devq/devq.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace devq::tools {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string file, kernel, device, compare, out, global, local;
    std::vector<std::string> arguments, defines, folders;
    std::uint64_t launches = 0;
    double tolerance = -1;
    bool json = false;
};

/// What one device made of the kernel.
struct Outcome {
    Device device;
    std::string build_log;
    double build_ms = 0;
    std::vector<KernelParameter> parameters;
    std::vector<Array> results; ///< one an argument; empty but for buffers that the kernel may write
    std::vector<double> times_ms;
};

Range range_of(const Options& options) {
    const std::vector<std::size_t> global = sizes_from(options.global, 3, "--global");
    Range range(global[0]);
    range.dimensions = static_cast<unsigned>(global.size());
    std::copy(global.begin(), global.end(), range.global.begin());
    if (options.local.empty())
        return range;
    const std::vector<std::size_t> local = sizes_from(options.local, 3, "--local");
    if (local.size() != global.size())
        throw WrongUsage(fmt::format("--local {} has another number of dimensions than --global {}",
                                     clean(options.local), clean(options.global)));
    range.local = {1, 1, 1};
    std::copy(local.begin(), local.end(), range.local.begin());
    return range;
}

KernelArg::Kind kind_of(const RunArgument& argument) {
    if (argument.text.starts_with("hex:") || argument.value.size() != size_of(argument.type))
        return KernelArg::Kind::bytes;
    if (is_floating(argument.type))
        return KernelArg::Kind::floating;
    const bool is_signed = to_string(argument.type).front() == 'i';
    return is_signed ? KernelArg::Kind::signed_integer : KernelArg::Kind::unsigned_integer;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Outcome run_on(const std::string& selector, const Options& options, const std::vector<RunArgument>& arguments,
               const Range& range) {
    Outcome outcome;
    outcome.device = choose_device(selector);
    const auto start = std::chrono::steady_clock::now();
    const Program program = outcome.device.build_file(options.file, build_options(options.defines, options.folders));
    const Kernel kernel = program.kernel(options.kernel);
    outcome.build_ms = milliseconds_since(start);
    outcome.build_log = program.build_log();
    outcome.parameters = kernel.parameters();

    const Queue queue = outcome.device.create_queue();
    std::vector<Buffer> buffers(arguments.size());
    std::vector<KernelArg> given;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const RunArgument& argument = arguments[i];
        if (argument.kind == RunArgument::Kind::buffer) {
            buffers[i] = outcome.device.allocate(argument.array.bytes.size());
            queue.write(buffers[i], std::span<const std::byte>(argument.array.bytes));
            given.emplace_back(buffers[i]);
        } else if (argument.kind == RunArgument::Kind::local) {
            given.emplace_back(LocalMemory{argument.local_bytes});
        } else {
            given.push_back(KernelArg::of_bytes(kind_of(argument), argument.value.data(), argument.value.size()));
        }
    }
    queue.launch_span(kernel, range, given);
    outcome.results.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].kind == RunArgument::Kind::buffer && !outcome.parameters[i].is_const) {
            outcome.results[i] = arguments[i].array;
            queue.read(std::span<std::byte>(outcome.results[i].bytes), buffers[i]);
        }
    queue.wait();
    for (std::uint64_t n = 0; n < options.launches; ++n) {
        const Event before = queue.record();
        queue.launch_span(kernel, range, given);
        const Event after = queue.record();
        queue.wait();
        outcome.times_ms.push_back(elapsed_ms(before, after));
    }
    std::sort(outcome.times_ms.begin(), outcome.times_ms.end());
    return outcome;
}

/// A buffer of one number has no sizes (NumPy's shape ()), one without elements has no bytes.
bool is_result(const Array& array) { return !array.sizes.empty() || !array.bytes.empty(); }

/// With --json what kernels print goes to stderr, as the compiler's words do.
Outcome quietly_run_on(const std::string& selector, const Options& options, const std::vector<RunArgument>& arguments,
                       const Range& range) {
    std::unique_ptr<StdoutAside> aside;
    if (options.json)
        aside = std::make_unique<StdoutAside>();
    Outcome outcome = run_on(selector, options, arguments, range);
    aside.reset();
    if (!outcome.build_log.empty())
        complain("devq run", clean_lines(outcome.build_log));
    return outcome;
}

std::string described(const Array& array) {
    return fmt::format("{}[{}]", to_string(array.type), sizes_text(array.sizes));
}

void print_outcome(const Outcome& outcome, const std::string& kernel) {
    print(fmt::format("{}  {}\n", styled(outcome.device.info().id, Style::bold), clean(outcome.device.info().name)));
    print(fmt::format("  built   {} in {:.1f} ms\n", clean(kernel), outcome.build_ms));
    for (std::size_t i = 0; i < outcome.results.size(); ++i) {
        const Array& array = outcome.results[i];
        const std::size_t count = array.bytes.size() / size_of(array.type);
        if (count == 0)
            continue;
        std::string line = fmt::format("  {}  {} ", clean(outcome.parameters[i].name), described(array));
        for (std::size_t n = 0; n < count; ++n) {
            const std::string number = fmt::format(" {:.6g}", element(array, n));
            if (columns(line) + number.size() + 2 > page_width) {
                line += " …";
                break;
            }
            line += number;
        }
        print(line + '\n');
    }
    if (!outcome.times_ms.empty())
        print(fmt::format("  time    {:.4g} ms at best, {:.4g} ms in the median of {}\n", outcome.times_ms.front(),
                          outcome.times_ms[outcome.times_ms.size() / 2], outcome.times_ms.size()));
}

Json as_json(const Outcome& outcome) {
    Json json{{"device", outcome.device.info().id}, {"build_ms", outcome.build_ms}, {"build_log", outcome.build_log}};
    json["results"] = Json::array();
    constexpr std::size_t shown = 16;
    for (std::size_t i = 0; i < outcome.results.size(); ++i) {
        const Array& array = outcome.results[i];
        if (array.bytes.empty())
            continue;
        Json first = Json::array();
        for (std::size_t n = 0; n < std::min(shown, array.bytes.size() / size_of(array.type)); ++n)
            first.push_back(element(array, n));
        json["results"].push_back({{"name", outcome.parameters[i].name},
                                   {"dtype", to_string(array.type)},
                                   {"sizes", array.sizes},
                                   {"first", std::move(first)}});
    }
    if (!outcome.times_ms.empty())
        json["time"] = {{"launches", outcome.times_ms.size()},
                        {"ms_min", outcome.times_ms.front()},
                        {"ms_median", outcome.times_ms[outcome.times_ms.size() / 2]}};
    return json;
}

/// Compares all that both devices wrote; false where something is beyond the tolerance.
bool compare_outcomes(const Outcome& one, const Outcome& other, const Options& options, Json& json) {
    bool agree = true;
    json["compare"] = Json::array();
    for (std::size_t i = 0; i < one.results.size(); ++i) {
        const Array& array = one.results[i];
        if (array.bytes.empty())
            continue;
        const double tolerance = options.tolerance >= 0 ? options.tolerance : default_tolerance(array.type);
        const Difference difference = compare(array, other.results[i], tolerance);
        agree = agree && difference.beyond == 0;
        const std::string& name = one.parameters[i].name;
        json["compare"].push_back({{"name", name},
                                   {"elements", difference.elements},
                                   {"differing", difference.differing},
                                   {"beyond_tolerance", difference.beyond},
                                   {"largest_difference", difference.largest},
                                   {"index", difference.index},
                                   {"tolerance", tolerance}});
        if (options.json)
            continue;
        std::string text = "the same on both";
        if (difference.differing > 0)
            text = fmt::format("{} of {} elements differ, most by {:.3g} at {}: {:.9g}, {:.9g}", difference.differing,
                               difference.elements, difference.largest, difference.index,
                               element(array, difference.index), element(other.results[i], difference.index));
        print(fmt::format("{} {}: {}\n", difference.beyond > 0 ? styled("✗", Style::bad) : styled("✓", Style::good),
                          clean(name), text));
        if (difference.beyond > 0)
            print(wrapped(fmt::format("{} of them by more than {:.2g} of the largest magnitude (--tolerance)",
                                      difference.beyond, tolerance),
                          4));
    }
    return agree;
}

/// The buffer that --out names: FILE.npy, or FILE.npy:PARAMETER.
void write_result(const Outcome& outcome, const std::string& out) {
    std::size_t colon = out.rfind(':');
    if (colon != out.npos && out.find('/', colon) != out.npos) // of a folder's name
        colon = out.npos;
    const std::string name = colon == out.npos ? "" : out.substr(colon + 1);
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        if (is_result(outcome.results[i]) && (name.empty() || outcome.parameters[i].name == name))
            return write_npy(out.substr(0, colon), outcome.results[i]);
    throw WrongUsage(fmt::format("--out {}: the kernel writes no buffer{}", clean(out),
                                 name.empty() ? "" : fmt::format(" called \"{}\"", clean(name))));
}

int run(const Options& options) {
    const Range range = range_of(options);
    std::vector<RunArgument> arguments;
    for (const std::string& text : options.arguments)
        arguments.push_back(parse_argument(text, arguments.size()));
    const Outcome outcome = quietly_run_on(options.device, options, arguments, range);
    if (!options.json)
        print_outcome(outcome, options.kernel);
    if (!options.out.empty())
        write_result(outcome, options.out);
    Json json = as_json(outcome);
    bool agree = true;
    if (!options.compare.empty()) {
        const Outcome other = quietly_run_on(options.compare, options, arguments, range);
        if (!options.json)
            print_outcome(other, options.kernel);
        json["other"] = as_json(other);
        agree = compare_outcomes(outcome, other, options, json);
    }
    if (options.json)
        print_json(json);
    return agree ? exit_done : exit_check_failed;
}

} // namespace

void add_run_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* const command = app.add_subcommand("run", "Run a kernel from a file, without writing a program");
    const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
        return command->add_option(name, value, help)->type_name(type)->check(not_empty());
    };
    text("file", options->file, "OpenCL C source", "FILE.cl")->required();
    text("--kernel", options->kernel, "The kernel's name", "NAME")->required();
    text("--global", options->global, "How many work-items, such as 1024 or 64x64", "SIZES")->required();
    text("--local", options->local, "Size of a work-group (default: devq chooses)", "SIZES");
    command->add_option("--arg", options->arguments, "An argument, in the kernel's order; see below")
        ->type_name("FORM")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_source_options(*command, options->defines, options->folders);
    text("--device", options->device, "Where to run (default: what a program would get)", "SELECTOR");
    text("--compare", options->compare, "Run there too and compare what both write", "SELECTOR");
    command->add_option("--tolerance", options->tolerance, "What --compare forgives, times the largest magnitude")
        ->type_name("X")
        ->check(number_not_below_zero());
    command->add_option("--time", options->launches, "Launch N more times and time each")
        ->type_name("N")
        ->check(CLI::Range(1, 1000000));
    text("--out", options->out, "Keep the first buffer written, or the one named", "FILE.npy[:NAME]");
    add_flag(*command, "--json", options->json, "Print one JSON document");
    command->footer(std::string("Arguments:\n") + argument_forms);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

} // namespace devq::tools
