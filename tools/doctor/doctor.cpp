// `devq doctor`: finds why a device cannot be used.
#include "../command.hpp"
#include "../output.hpp"
#include "report.hpp"
#include "rules.hpp"
#include "trial.hpp"
#include <memory>
#include <nlohmann/json.hpp>

namespace devq::tools {

namespace {

struct Options {
    std::string area, sysroot, python, shell, trial;
    bool json = false, lines = false;
    unsigned timeout = 60;
};

std::string shell_of(const Options& options, const doctor::Facts& facts) {
    if (!options.shell.empty())
        return options.shell;
    const std::string path = facts.variable("SHELL");
    return path.substr(path.rfind('/') + 1);
}

void ask_frameworks(const Options& options, doctor::Report& report, doctor::Findings& findings) {
    if (options.python.empty() && !options.sysroot.empty())
        throw WrongUsage("python with --sysroot needs --python: nothing under that folder is run");
    report.python = doctor::ask_python(options.python.empty() ? "python3" : options.python,
                                       report.facts.variable("PATH"), std::chrono::seconds(options.timeout));
    judge_python(report.facts, report.python, findings);
}

int examine(const Options& options) {
    const doctor::System system(options.sysroot.empty() ? "/" : options.sysroot);
    doctor::Report report;
    report.area = options.area;
    report.sysroot = options.sysroot;
    report.facts = doctor::gather(system);
    if (options.lines) {
        print(environment_lines(system, report.facts, shell_of(options, report.facts)));
        return exit_done;
    }
    // A copy of another machine has no devices to try; a framework tries them itself.
    if (options.sysroot.empty() && options.area != "python")
        report.facts.trial = doctor::try_devices(options.area);
    doctor::Findings findings = diagnose(report.facts);
    if (options.area == "python")
        ask_frameworks(options, report, findings);
    report.findings = findings.ordered(options.area);
    if (options.json)
        print_json(as_json(report));
    else
        print_text(report);
    return report.prevented() ? exit_check_failed : exit_done;
}

} // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("doctor", "Find why a device cannot be used, and what to do about it");
    command->add_option("area", options->area, "cuda, opencl, cpu or python; the first three when left out")
        ->check(CLI::IsMember({"cuda", "opencl", "cpu", "python"}));
    add_flag(*command, "--json", options->json, "Print one JSON document");
    add_flag(*command, "--env", options->lines,
             "Print lines that put PATH and LD_LIBRARY_PATH right: eval \"$(devq doctor --env)\"");
    command->add_option("--shell", options->shell, "The shell that --env is for; $SHELL when left out")
        ->check(CLI::IsMember({"bash", "zsh", "sh", "fish"}));
    command->add_option("--python", options->python, "The interpreter of `devq doctor python`; python3 when left out")
        ->check(not_empty());
    command->add_option("--timeout", options->timeout, "Seconds that Python may take for each question")
        ->check(CLI::Range(1u, 3600u))
        ->capture_default_str();
    command
        ->add_option("--sysroot", options->sysroot, "Look at a copy of another machine's files, and run nothing of it")
        ->check(CLI::ExistingDirectory);
    command->add_option("--trial", options->trial)->group(""); // how doctor starts itself
    command->callback([options, &exit_code] {
        if (!options->trial.empty())
            doctor::run_trial(options->trial == "all" ? "" : options->trial);
        else
            exit_code = examine(*options);
    });
}

} // namespace devq::tools
