#include "environment.hpp"
#include "cache/kernel_cache.hpp"
#include "frontend/builtins.hpp"
#include "memory_pool.hpp"
#include "notice.hpp"
#include "patience.hpp"
#include "selector.hpp"
#include "variables.hpp"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace devq::detail {

namespace {

constexpr std::string_view prefix = "DEVQ_";
constexpr std::chrono::seconds usual_patience{60};
constexpr int longest_patience = 3600;

std::string in_quotes(std::string_view text) { return '"' + one_line(std::string(text)) + '"'; }

std::optional<std::chrono::seconds> seconds_in(std::string_view text) {
    int seconds = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (status != std::errc{} || end != text.data() + text.size() || seconds < 1 || seconds > longest_patience)
        return std::nullopt;
    return std::chrono::seconds(seconds);
}

void check_names(std::vector<WrongVariable>& found) {
    std::vector<std::string> known;
    for (const VariableRow& row : variables)
        known.emplace_back(row.name);
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        if (name.starts_with(prefix) && !name.starts_with(test_variables) && find_variable(name) == nullptr)
            found.push_back({one_line(std::string(name)) + " is no variable of devq's" + frontend::nearest(name, known),
                             "Unset it; docs/cli.md and `devq info` show those that there are."});
    }
}

void check_flag(const char* name, std::vector<WrongVariable>& found) {
    if (const std::string_view value = environment(name); !value.empty() && !yes_or_no(value))
        found.push_back({std::string(name) + " is " + in_quotes(value) + ", which is neither 1 nor 0",
                         "Set it to 1 or 0, or leave it unset."});
}

void check_folders(std::vector<WrongVariable>& found) {
    constexpr const char* name = "DEVQ_BACKEND_PATH";
    for (std::string_view rest = environment(name); !rest.empty();) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::filesystem::path folder(rest.substr(0, colon));
        rest.remove_prefix(std::min(colon + 1, rest.size()));
        std::error_code ignored;
        if (folder.empty() || (folder.is_absolute() && std::filesystem::is_directory(folder, ignored)))
            continue;
        found.push_back({std::string(name) + " names " + in_quotes(folder.string()) + ", which is no " +
                             (folder.is_absolute() ? "folder" : "absolute path, so that it is not searched"),
                         "Name absolute folders, separated by ':'."});
    }
}

/// A library without which the portable path is taken: a file that is not there would go unseen.
void check_library(const char* name, std::vector<WrongVariable>& found) {
    const std::string_view value = environment(name);
    std::error_code ignored;
    if (value.find('/') != value.npos && !std::filesystem::exists(std::filesystem::path(value), ignored)) // else a name
        found.push_back({std::string(name) + " names " + in_quotes(value) + ", which is not there",
                         "Name the library's file, or leave it unset for the one that the loader finds."});
}

} // namespace

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::optional<bool> yes_or_no(std::string_view word) {
    const std::string lower = lower_case(word);
    for (const char* no : {"0", "false", "no", "off"})
        if (lower == no)
            return false;
    for (const char* yes : {"1", "true", "yes", "on"})
        if (lower == yes)
            return true;
    return std::nullopt;
}

bool flag(const char* name, bool otherwise) { return yes_or_no(environment(name)).value_or(otherwise); }

std::vector<WrongVariable> wrong_variables() {
    std::vector<WrongVariable> found;
    check_names(found);
    for (const char* name : {"DEVQ_STRICT", "DEVQ_CACHE", "DEVQ_CPU_FIBERS", "DEVQ_PROBE", "DEVQ_MEMORY_CACHE",
                             "DEVQ_MEMORY_POISON", "DEVQ_DETERMINISTIC"})
        check_flag(name, found);
    if (const std::string_view value = environment("DEVQ_TIMEOUT"); !value.empty() && !seconds_in(value))
        found.push_back({"DEVQ_TIMEOUT is " + in_quotes(value) + ", which is no number of seconds from 1 to " +
                             std::to_string(longest_patience),
                         "Set it to such a number, or leave it unset."});
    if (const std::string_view value = environment("DEVQ_PATH");
        !value.empty() && value != "portable" && value != "vendor")
        found.push_back({"DEVQ_PATH is " + in_quotes(value) + ", which is neither portable nor vendor",
                         "Set it to one of these, or leave it unset."});
    if (const std::string_view value = environment("DEVQ_MEMORY_LIMIT"); !value.empty() && memory_size_in(value) == 0)
        found.push_back({"DEVQ_MEMORY_LIMIT is " + in_quotes(value) + ", which is no size",
                         "Set it to a number of bytes, or of K, M, G or T (512M, 8G), or leave it unset."});
    check_folders(found);
    for (const char* name : {"DEVQ_CUBLASLT", "DEVQ_CUDNN"})
        check_library(name, found);
    if (!environment("DEVQ_CACHE_DIR").empty() && flag("DEVQ_CACHE", true)) {
        const KernelCache& cache = KernelCache::instance();
        const std::string advice = "Name an absolute folder that is yours alone, or set DEVQ_CACHE to 0.";
        if (!cache.why_off().empty())
            found.push_back({"DEVQ_CACHE_DIR: " + cache.why_off() + "; no built kernel is kept", advice});
        else if (!cache.why_read_only().empty())
            found.push_back({"DEVQ_CACHE_DIR: " + cache.why_read_only() + "; no new kernel is kept", advice});
    }
    return found;
}

const std::vector<WrongVariable>& check_environment() {
    static const std::vector<WrongVariable>& found = *[] {
        auto* const wrong = new std::vector<WrongVariable>(wrong_variables());
        for (const WrongVariable& one : *wrong)
            notice(one.problem + ": " + one_line(one.advice));
        return wrong;
    }();
    return found;
}

std::chrono::seconds patience() { return seconds_in(environment("DEVQ_TIMEOUT")).value_or(usual_patience); }

static std::atomic<bool> given_up{false};
void note_given_up() noexcept { given_up.store(true, std::memory_order_relaxed); }
bool something_given_up() noexcept { return given_up.load(std::memory_order_relaxed); }

} // namespace devq::detail
