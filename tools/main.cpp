#include "command.hpp"
#include "output.hpp"
#include <csignal>
#include <cstdio>
#include <devq/api.hpp>
#include <exception>
#include <fmt/format.h>
#include <string>

namespace {

using namespace devq::tools;

/// Every subcommand, in the order of `devq --help`.
constexpr void (*commands[])(CLI::App&, int&) = {add_list_command, add_test_command};

int wrong_usage(const CLI::App& app, const CLI::ParseError& error, int argument_count, char** arguments) {
    // The usage of the subcommand that was meant, where one was named.
    const auto chosen = app.get_subcommands();
    const CLI::App& where = chosen.empty() ? app : *chosen.front();
    std::string what = argument_count > 1 ? error.what() : "a command is needed";
    if (chosen.empty() && argument_count > 1 && arguments[1][0] != '-')
        what = fmt::format("there is no command \"{}\"", clean(arguments[1]));
    const std::string name = chosen.empty() ? "devq" : "devq " + where.get_name();
    fmt::print(stderr, "{}: {}\n\n{}", name, what, chosen.empty() ? where.help() : where.help("devq"));
    return exit_usage;
}

int exit_code_of(devq::ErrorCode code) {
    switch (code) {
    case devq::ErrorCode::invalid_argument:
        return exit_usage;
    case devq::ErrorCode::unavailable:
        return exit_no_device;
    default:
        return exit_failed;
    }
}

/// fmt::print throws where stderr is closed or full, and nothing would catch that any more.
void complain(const char* problem) {
    static_cast<void>(std::fputs(("devq: " + std::string(problem) + "\n").c_str(), stderr));
}

int run(int argument_count, char** arguments) {
    CLI::App app("devq: one program's kernels on NVIDIA, AMD and other GPUs and on the CPU", "devq");
    app.set_version_flag("--version", "devq " DEVQ_VERSION_STRING, "Show the version");
    app.require_subcommand(1);
    app.footer("Variables: DEVQ_DEVICE chooses the device where none is named (`devq list --help`\n"
               "shows how); DEVQ_STRICT=1 makes it an error when that one cannot be had.");
    int exit_code = exit_done;
    for (const auto add : commands)
        add(app, exit_code);
    try {
        app.parse(argument_count, arguments);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0)
            return wrong_usage(app, error, argument_count, arguments);
        app.exit(error); // --help, --version
    }
    finish_output();
    return exit_code;
}

} // namespace

int main(int argument_count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that goes away is told apart from a failure: output.cpp
    try {
        return run(argument_count, arguments);
    } catch (const devq::Error& error) {
        complain(error.what());
        return exit_code_of(error.code());
    } catch (const std::exception& error) {
        complain(error.what());
        return exit_failed;
    }
}
