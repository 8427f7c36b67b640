#pragma once
/// How a subcommand joins the program: one file each, with one function that is listed in main.cpp.

#include <CLI/CLI.hpp>
#include <devq/device.hpp>
#include <devq/error.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace devq::tools {

/// What the program ends with; docs/cli.md promises the numbers.
enum ExitCode {
    exit_done = 0,
    exit_check_failed = 1, ///< a test failed or none passed; two devices differ
    exit_usage = 2,
    exit_no_device = 3,
    exit_failed = 4, ///< a device or backend failed while working
};

/// Wrong use that the command line's grammar cannot see; the program ends with exit_usage.
struct WrongUsage : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// No device matches; the program ends with exit_no_device.
struct NoDevice : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Adds a subcommand to `app`. Its callback runs when it was chosen and sets `exit_code` (done unless it does); it may
/// throw the two above, or devq::Error: invalid_argument ends as wrong usage, all else as failed.
void add_list_command(CLI::App& app, int& exit_code);
void add_info_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);
void add_test_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_build_command(CLI::App& app, int& exit_code);

/// The positional SELECTOR of a command that looks at all devices unless told which.
void add_selector(CLI::App& command, std::string& selector);
/// A flag that takes no value: `--json=3` is wrong usage.
CLI::Option* add_flag(CLI::App& command, const std::string& name, bool& flag, const std::string& help);
/// For options whose empty value is a mistake, such as an unset variable in a script.
const CLI::Validator& not_empty();
/// For whole numbers below 2^64, in decimal digits.
const CLI::Validator& unsigned_number();
/// For finite numbers, 0 and above.
const CLI::Validator& number_not_below_zero();

/// open_device(), with NoDevice for what is not there and Error for what fails.
Device choose_device(const std::string& selector);

/// "WHO: PROBLEM" on stderr; where that cannot be written, nothing.
void complain(std::string_view who, std::string_view problem) noexcept;

} // namespace devq::tools
