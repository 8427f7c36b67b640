#include "command.hpp"
#include "output.hpp"
#include "patience.hpp"
#include <csignal>
#include <cstdio>
#include <devq/api.hpp>
#include <exception>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace {

using namespace devq::tools;

/// Every subcommand, in the order of `devq --help`.
constexpr void (*commands[])(CLI::App&, int&) = {add_list_command, add_info_command, add_doctor_command,
                                                 add_test_command, add_run_command,  add_build_command};

/// "devq", or "devq COMMAND" once that is known.
std::string name_of(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? "devq" : "devq " + chosen.front()->get_name();
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& error, int argument_count, char** arguments) {
    // The usage of the subcommand that was meant, where one was named.
    const auto chosen = app.get_subcommands();
    std::string what = argument_count > 1 ? error.what() : "a command is needed";
    if (chosen.empty() && argument_count > 1 && arguments[1][0] != '-')
        what = fmt::format("there is no command \"{}\"", clean(arguments[1]));
    complain(name_of(app), what + "\n\n" + (chosen.empty() ? app.help() : chosen.front()->help("devq")));
    return exit_usage;
}

int exit_code_of(devq::ErrorCode code) { return code == devq::ErrorCode::invalid_argument ? exit_usage : exit_failed; }

int run(CLI::App& app, int argument_count, char** arguments) {
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
        std::ostringstream text; // --help, --version
        app.exit(error, text, text);
        print(text.str());
    }
    finish_output();
    return exit_code;
}

/// run(), with what it throws told on stderr.
int guarded_run(CLI::App& app, int argument_count, char** arguments) {
    try {
        return run(app, argument_count, arguments);
    } catch (const WrongUsage& error) {
        complain(name_of(app), error.what());
        return exit_usage;
    } catch (const NoDevice& error) {
        complain(name_of(app), error.what());
        return exit_no_device;
    } catch (const devq::Error& error) {
        complain(name_of(app), error.what());
        return exit_code_of(error.code());
    } catch (const std::exception& error) {
        complain(name_of(app), error.what());
        return exit_failed;
    }
}

} // namespace

int main(int argument_count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that goes away is told apart from a failure: output.cpp
    CLI::App app("devq: one program's kernels on NVIDIA, AMD and other GPUs and on the CPU", "devq");
    const int exit_code = guarded_run(app, argument_count, arguments);
    if (devq::detail::something_given_up()) { // an ordinary end would wait for the driver that does not answer
        static_cast<void>(std::fflush(nullptr));
        ::_exit(exit_code);
    }
    return exit_code;
}
