#include "icd_probe.hpp"
#include "child_process.hpp"
#include "environment.hpp"
#include "icd_files.hpp"
#include "loader_words.hpp"
#include "notice.hpp"
#include "patience.hpp"
#include "services.hpp"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <devq/error.hpp>
#include <fstream>
#include <future>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace devq::opencl {

namespace {

namespace fs = std::filesystem;
using detail::ChildResult;
using Dependencies = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view answer_mark = "\ndevq-probe: "; // what precedes the probe's answer in its output
constexpr const char* usable = "usable";
constexpr std::string_view cannot_load = "cannot load "; // then the dynamic linker's words
constexpr std::time_t bad_for_seconds = 600;             // a driver may be mended without its file changing

/// Seldom less than 5 s: all drivers together must answer within devq's patience, of which this is one part.
std::chrono::milliseconds limit() {
    return std::min(std::chrono::milliseconds(5000), std::chrono::milliseconds(detail::patience()) / 2);
}

/// "5 s", "0.5 s": half seconds are all that there can be.
std::string seconds_text(std::chrono::milliseconds time) {
    return std::to_string(time.count() / 1000) + (time.count() % 1000 != 0 ? ".5 s" : " s");
}

std::string signal_text(int signal) {
    const char* words = ::sigdescr_np(signal);
    return words ? words : "unknown";
}

/// Size and times of a file as text: changes when the file does.
std::string state_of(const fs::path& file) {
    struct stat status {};
    if (file.empty() || ::stat(file.c_str(), &status) != 0)
        return "absent";
    return std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino) + ':' + std::to_string(status.st_size) +
           ':' + std::to_string(status.st_mtim.tv_sec) + '.' + std::to_string(status.st_mtim.tv_nsec);
}

/// What a driver meets besides its own files: another container, no /sys (PoCL aborts there), variables that steer
/// drivers. With others a verdict says nothing.
std::string surroundings() {
    std::error_code ignored;
    std::vector<std::string> parts{fs::read_symlink("/proc/self/ns/mnt", ignored).string(),
                                   fs::exists("/sys/devices/system/cpu", ignored) ? "sysfs" : "no sysfs"};
    for (char** entry = environ; *entry != nullptr; ++entry)
        for (const std::string_view prefix : {"LD_", "POCL_", "CL_", "OPENCL_", "HSA_", "ROCR_", "HIP_", "GPU_",
                                              "CUDA_", "NEO", "ZE_", "RUSTICL_", "MESA_", "LP_"})
            if (std::string_view(*entry).starts_with(prefix))
                parts.emplace_back(*entry);
    std::sort(parts.begin() + 2, parts.end());
    std::string text;
    for (const std::string& part : parts)
        text += part + '\n';
    return text;
}

Dependencies dependencies_of(const IcdFile& icd) {
    return {{"icd", icd.file.string()},
            {"icd state", state_of(icd.file)},
            {"library", icd.library},
            {"library file", icd.resolved.string()},
            {"library state", state_of(icd.resolved)},
            {"limit", std::to_string(limit().count())},
            {"surroundings", surroundings()}};
}

/// A folder for the loader that lists exactly these drivers. Throws Error(unavailable) when it cannot be written.
void list_in(const fs::path& folder, const std::vector<IcdFile>& icds) {
    for (std::size_t i = 0; i < icds.size(); ++i) {
        // Numbered, so that the loader meets them in the order that the user's own setting gives.
        std::string number = std::to_string(i);
        number.insert(0, 3 - std::min<std::size_t>(3, number.size()), '0');
        const fs::path file = folder / (number + ".icd");
        std::ofstream stream(file);
        stream << icds[i].library << '\n';
        stream.close();
        if (!stream)
            throw Error(ErrorCode::unavailable, "", file.string() + " cannot be written", "Free some space there.");
    }
}

std::string answer_in(const std::string& output) {
    const auto at = output.rfind(answer_mark);
    if (at == std::string::npos)
        return {};
    const std::string answer = output.substr(at + answer_mark.size());
    return answer.substr(0, answer.find('\n'));
}

/// `usable`, or what happened to the process that loaded the driver.
std::string probe(const std::string& program, const IcdFile& icd) {
    const detail::PrivateFolder folder;
    list_in(folder.path(), {icd});
    const ChildResult result =
        detail::run_child({program, icd.library}, limit(), {{"OCL_ICD_VENDORS", folder.path().string()}});
    const std::string answer = answer_in(result.output);
    switch (result.end) {
    case ChildResult::End::out_of_time:
        return "gave no answer within " + seconds_text(limit());
    case ChildResult::End::killed_by_signal: // also behind an answer: such a driver dies when the process ends
        return "ended its process by signal " + std::to_string(result.code) + " (" + signal_text(result.code) + ')';
    case ChildResult::End::exited:
        if (result.code != 0 || answer.empty())
            return "ended its process with status " + std::to_string(result.code);
        break;
    case ChildResult::End::unknown: // the application collects children itself: there is only the answer to go by
        if (answer.empty())
            return "ended its process";
        break;
    }
    return answer.starts_with(cannot_load) ? answer : usable;
}

std::string remembered_or_probed(const std::string& program, const IcdFile& icd, std::time_t now) {
    const Dependencies depends_on = dependencies_of(icd);
    if (const auto note = detail::load_note(depends_on)) {
        const auto space = note->find(' ');
        const std::time_t when = std::atoll(note->c_str());
        const std::string verdict = space == std::string::npos ? "" : note->substr(space + 1);
        if (verdict == usable || (!verdict.empty() && now - when < bad_for_seconds && now >= when))
            return verdict;
    }
    const std::string verdict = probe(program, icd);
    // Where only the dynamic linker knows the library's file, a change of it would go unseen: probe each time.
    if (!icd.resolved.empty())
        detail::save_note(depends_on, std::to_string(now) + ' ' + verdict);
    return verdict;
}

Unavailable broken(const IcdFile& icd, const std::string& code, const std::string& what) {
    Unavailable entry;
    entry.backend = "opencl";
    entry.code = code;
    entry.reason = icd.file.string() +
                   (icd.library.empty() || icd.library == icd.file ? "" : " (" + icd.library + ')') + ' ' + what;
    entry.remedy =
        "Reinstall or update the package that owns this file, or remove the file; devq leaves the driver out "
        "meanwhile and uses the others.";
    return entry;
}

void untried(const std::string& why) {
    detail::notice("OpenCL drivers are loaded untried, so that a broken one can end this process: " + why +
                   ", or set DEVQ_PROBE to 0 to do without");
}

class RestrictedLoader final : public LoaderSetting {
public:
    explicit RestrictedLoader(const std::vector<IcdFile>& good) {
        list_in(folder_.path(), good);
        if (const char* value = std::getenv(variable))
            before_ = value;
        ::setenv(variable, folder_.path().c_str(), 1);
    }
    ~RestrictedLoader() override {
        if (before_)
            ::setenv(variable, before_->c_str(), 1);
        else
            ::unsetenv(variable);
    }

private:
    static constexpr const char* variable = "OCL_ICD_VENDORS";
    detail::PrivateFolder folder_;
    std::optional<std::string> before_;
};

} // namespace

ProbeResult probe_drivers(std::time_t now) {
    ProbeResult result;
    if (!detail::flag("DEVQ_PROBE", true))
        return result;
    std::string searched;
    const std::string program = detail::helper_program("devq-probe", searched);
    if (program.empty()) {
        untried("devq-probe is in none of " + searched + ". Install it there");
        return result;
    }

    std::vector<IcdFile> good;
    std::vector<std::pair<IcdFile, std::future<std::string>>> asked;
    for (IcdFile& icd : icd_files()) {
        if (!icd.problem.empty()) { // the loader passes it over by itself
            result.broken.push_back(broken(icd, "driver_broken", icd.problem));
            continue;
        }
        // One after another where the system gives no more threads.
        auto answer = std::async(std::launch::async | std::launch::deferred,
                                 [program, icd, now] { return remembered_or_probed(program, icd, now); });
        asked.emplace_back(std::move(icd), std::move(answer));
    }
    bool restrict_loader = false;
    for (auto& [icd, answer] : asked) {
        std::string verdict = usable;
        try {
            verdict = answer.get();
        } catch (const Error& error) { // no child could be started, which says nothing against the driver
            untried(detail::one_line(error.what()));
        }
        if (verdict == usable) {
            good.push_back(std::move(icd));
        } else if (verdict.starts_with(cannot_load)) { // the loader passes it over by itself
            const std::string words = verdict.substr(cannot_load.size());
            result.broken.push_back(broken(icd, std::string(detail::loader_code(words, icd.library)), verdict));
        } else {
            result.broken.push_back(broken(icd, "crashed", verdict));
            restrict_loader = true;
        }
    }
    if (restrict_loader)
        result.setting = std::make_unique<RestrictedLoader>(good);
    return result;
}

} // namespace devq::opencl
