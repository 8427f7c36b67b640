#pragma once
/// How a subcommand joins the program: one file each, with one function that is listed in main.cpp.

#include <CLI/CLI.hpp>
#include <devq/error.hpp>

namespace devq::tools {

/// What the program ends with; docs/cli.md promises the numbers.
enum ExitCode {
    exit_done = 0,
    exit_check_failed = 1, ///< a test failed or none passed
    exit_usage = 2,
    exit_no_device = 3,
    exit_failed = 4, ///< a device or backend failed while working
};

/// Adds a subcommand to `app`. Its callback runs when it was chosen and sets `exit_code` (done unless it does); it may
/// throw devq::Error: invalid_argument ends as wrong usage, unavailable as no device, all else as failed.
void add_list_command(CLI::App& app, int& exit_code);
void add_test_command(CLI::App& app, int& exit_code);

} // namespace devq::tools
