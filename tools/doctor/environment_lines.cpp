// `devq doctor --env`: lines for a shell.
#include "report.hpp"
#include "rules.hpp"
#include "versions.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

std::string fish_word(const std::string& text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return result + "'";
}

/// The newest toolkit that the driver runs; without a driver the system's default one.
const Toolkit* best_toolkit(const Facts& facts) {
    const std::string driver = driver_version(facts), own = driver.empty() ? "" : cuda_of_driver(driver);
    const Toolkit* best = nullptr;
    for (const Toolkit& one : facts.toolkits) {
        if (!own.empty() && major_of(one.version) > major_of(own))
            continue;
        if (best == nullptr || (!own.empty() && older(best->version, one.version)))
            best = &one;
    }
    return best;
}

bool belongs_to(const Toolkit& toolkit, const std::string& folder) {
    return folder == toolkit.folder || folder.starts_with(toolkit.folder + '/') || folder == toolkit.target ||
           folder.starts_with(toolkit.target + '/');
}

bool of_another(const Facts& facts, const Toolkit* best, const std::string& folder) {
    if (best != nullptr && belongs_to(*best, folder))
        return false;
    return std::any_of(facts.toolkits.begin(), facts.toolkits.end(),
                       [&](const Toolkit& one) { return one.alone && belongs_to(one, folder); });
}

void add_once(std::vector<std::string>& list, const std::string& word) {
    if (!contains(list, word))
        list.push_back(word);
}

std::vector<std::string> right_path(const Facts& facts, const Toolkit* best) {
    std::vector<std::string> result;
    const bool first = !facts.nvcc_on_path.empty() && best != nullptr && facts.nvcc_on_path[0] == best->target;
    const std::string added = best != nullptr && best->has_compiler && !first ? best->folder + "/bin" : std::string();
    if (!added.empty())
        result.push_back(added);
    for (const std::string& folder : split(facts.variable("PATH"), ':'))
        if (!of_another(facts, best, folder) && (added.empty() || folder != added))
            result.push_back(folder); // one that comes twice does no harm
    return result;
}

std::vector<std::string> right_library_path(const System& system, const Facts& facts, const Toolkit* best) {
    std::vector<std::string> result, kept;
    for (const std::string& folder : facts.variable_folders) {
        const bool there = !folder.empty() && folder[0] == '/' && system.is_folder(folder);
        bool other_machine = false; // its libcuda or NVRTC is for another one
        for (const auto& [soname, library] : facts.libraries)
            for (const Candidate& one : library.candidates)
                other_machine = other_machine || (one.place == "LD_LIBRARY_PATH" && one.path == folder + '/' + soname &&
                                                  one.fit != Candidate::Fit::loads);
        if (there && !holds(folder, "/stubs") && !other_machine && !of_another(facts, best, folder))
            add_once(kept, folder);
    }
    // What is there, and the loader does not find.
    for (const char* soname : {"libcuda.so.1"})
        if (const Library& library = facts.library(soname); library.taken < 0 && !library.elsewhere.empty())
            result.push_back(library.elsewhere[0].substr(0, library.elsewhere[0].rfind('/')));
    if (best != nullptr && best->has_libraries) {
        const std::string folder = best->folder + (system.is_folder(best->folder + "/lib64") ? "/lib64" : "/lib");
        const std::string runtime = "libcudart.so." + std::to_string(major_of(best->version));
        const Candidate* found = facts.library(runtime + (major_of(best->version) == 11 ? ".0" : "")).file();
        const bool in_toolkit = found != nullptr && belongs_to(*best, found->target);
        if (!in_toolkit && system.there(folder + '/' + runtime))
            result.push_back(folder);
    }
    for (const std::string& folder : kept)
        add_once(result, folder);
    return result;
}

} // namespace

std::string environment_lines(const System& system, const Facts& facts, const std::string& shell) {
    const Toolkit* best = best_toolkit(facts);
    const bool fish = shell == "fish";
    std::string lines;
    const auto set = [&](const char* name, const std::vector<std::string>& parts) {
        std::string value, words;
        for (const std::string& part : parts) {
            value += (&part == &parts[0] ? "" : ":") + part;
            words += " " + fish_word(part);
        }
        if (value == facts.variable(name) || (value.empty() && !facts.is_set(name)))
            return;
        if (value.empty())
            lines += (fish ? "set -e " : "unset ") + std::string(name) + "\n";
        else if (fish) // a list; LD_LIBRARY_PATH is one only when it is said
            lines += "set -gx " + std::string(name == std::string("PATH") ? "" : "--path ") + name + words + "\n";
        else
            lines += "export " + std::string(name) + "=" + shell_word(value) + "\n";
    };
    set("PATH", right_path(facts, best));
    set("LD_LIBRARY_PATH", right_library_path(system, facts, best));
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        const std::string now = facts.variable(name);
        const bool right = best != nullptr && belongs_to(*best, now);
        if (!now.empty() && !right)
            set(name, best == nullptr ? std::vector<std::string>{} : std::vector<std::string>{best->folder});
    }
    return lines.empty() ? "# nothing to change\n" : lines;
}

} // namespace devq::doctor
