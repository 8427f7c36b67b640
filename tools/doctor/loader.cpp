#include "loader.hpp"
#include "versions.hpp"
#include <algorithm>
#include <cstring>
#include <fnmatch.h>
#include <sstream>

namespace devq::doctor {

Loader::Loader(const System& system) : system_(system) {
    std::string value = system.variable("LD_LIBRARY_PATH").value_or("");
    std::replace(value.begin(), value.end(), ';', ':'); // the loader takes both
    variable_ = split(value, ':');
    read_configuration("/etc/ld.so.conf", 0);
    read_cache();
    // Debian's loader has folders of the machine's name, others lib64.
    const std::string multiarch = own_machine() == 183 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
    if (system.is_folder("/usr/lib/" + multiarch))
        standard_ = {"/lib/" + multiarch, "/usr/lib/" + multiarch, "/lib", "/usr/lib"};
    else
        standard_ = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};

    const std::vector<Candidate> libc = find("libc.so.6");
    if (const Candidate* found = taken(libc))
        for (const std::string& version : found->elf.has_versions)
            if (version.starts_with("GLIBC_2") && (glibc_.empty() || older(glibc_.substr(6), version.substr(6))))
                glibc_ = version;
}

void Loader::read_configuration(const std::string& file, int depth) {
    std::istringstream lines(system_.read(file).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        line = trimmed(line.substr(0, line.find('#')));
        if (line.starts_with("include ") && depth < 4) {
            std::string pattern = trimmed(line.substr(8));
            if (!pattern.empty() && pattern[0] != '/')
                pattern = "/etc/" + pattern;
            const std::string folder = pattern.substr(0, pattern.rfind('/'));
            for (const std::string& name : system_.entries(folder))
                if (fnmatch(pattern.c_str(), (folder + '/' + name).c_str(), 0) == 0)
                    read_configuration(folder + '/' + name, depth + 1);
        } else if (!line.empty() && line[0] == '/') {
            configured_.push_back(line);
        }
    }
}

// The format of glibc 2.2 and later, which may follow the older one in the same file.
void Loader::read_cache() {
    constexpr std::string_view magic = "glibc-ld.so.cache1.1";
    constexpr std::size_t header = 48, entry = 24;
    const std::string text = system_.read("/etc/ld.so.cache").value_or("");
    const std::size_t start = text.find(magic);
    if (start == std::string::npos || text.size() - start < header)
        return;
    has_cache_ = true;
    const auto number = [&](std::size_t offset) {
        std::uint32_t value = 0;
        if (offset + sizeof value <= text.size())
            std::memcpy(&value, text.data() + offset, sizeof value);
        return std::size_t{value};
    };
    const std::size_t count = number(start + magic.size());
    for (std::size_t i = 0; i < count && start + header + (i + 1) * entry <= text.size(); ++i) {
        const std::size_t at = start + header + i * entry;
        const std::size_t key = start + number(at + 4), value = start + number(at + 8);
        if (key < text.size() && value < text.size())
            cache_[text.c_str() + key].emplace_back(text.c_str() + value);
    }
}

Candidate Loader::look(const std::string& path, const char* place) const {
    Candidate found;
    found.path = path;
    found.place = place;
    found.target = system_.target(path);
    if (found.target.empty()) {
        found.fit = Candidate::Fit::passed_over;
        found.fault = "is a link to " + system_.link(path) + ", which is not there";
        return found;
    }
    found.elf = read_elf(system_.file(path));
    if (!found.elf.problem.empty()) {
        found.fit = found.elf.problem == "cannot be read" ? Candidate::Fit::passed_over : Candidate::Fit::stops;
        found.fault = found.elf.problem;
    } else if (own_machine() != 0 && (found.elf.bits != 64 || found.elf.machine != own_machine())) {
        found.fit = Candidate::Fit::passed_over;
        found.fault = "is for " + machine_name(found.elf.machine) + " (" + std::to_string(found.elf.bits) + " bit)";
    }
    return found;
}

std::vector<Candidate> Loader::find(const std::string& name, const Candidate* of) const {
    std::vector<Candidate> result;
    const auto add = [&](const std::string& path, const char* place) {
        const bool known = std::any_of(result.begin(), result.end(), [&](const auto& one) { return one.path == path; });
        if (!known && system_.named(path))
            result.push_back(look(path, place));
    };
    if (holds(name, "/")) {
        add(name, "path");
        return result;
    }
    for (const std::string& folder : variable_)
        if (!folder.empty() && folder[0] == '/')
            add(folder + (folder.back() == '/' ? "" : "/") + name, "LD_LIBRARY_PATH");
    if (of != nullptr)
        for (std::string folder : of->elf.run_path) {
            for (const std::string_view origin : {"${ORIGIN}", "$ORIGIN"})
                if (const std::size_t begin = folder.find(origin); begin != std::string::npos)
                    folder.replace(begin, origin.size(), of->target.substr(0, of->target.rfind('/')));
            if (!folder.empty())
                add(folder + '/' + name, "run path");
        }
    if (has_cache_) {
        if (const auto known = cache_.find(name); known != cache_.end())
            for (const std::string& path : known->second)
                add(path, "ld.so.cache");
    } else {
        for (const std::string& folder : configured_)
            add(folder + '/' + name, "ld.so.conf");
    }
    for (const std::string& folder : standard_)
        add(folder + '/' + name, "standard folder");
    return result;
}

const Candidate* Loader::taken(const std::vector<Candidate>& candidates) {
    for (const Candidate& one : candidates) {
        if (one.fit == Candidate::Fit::loads)
            return &one;
        if (one.fit == Candidate::Fit::stops)
            return nullptr;
    }
    return nullptr;
}

void Loader::walk(const Candidate& library, std::vector<std::string>& seen,
                  std::vector<MissingDependency>& result) const {
    for (const std::string& version : library.elf.needs_versions)
        if (!glibc_.empty() && version.starts_with("GLIBC_2") && older(glibc_.substr(6), version.substr(6)))
            result.push_back({version, library.path, true});
    for (const std::string& name : library.elf.needed) {
        if (contains(seen, name))
            continue;
        seen.push_back(name);
        const std::vector<Candidate> found = find(name, &library);
        if (const Candidate* one = taken(found))
            walk(*one, seen, result);
        else
            result.push_back({name, library.path, false});
    }
}

std::vector<MissingDependency> Loader::missing(const Candidate& library) const {
    std::vector<std::string> seen;
    std::vector<MissingDependency> result;
    if (library.fit == Candidate::Fit::loads)
        walk(library, seen, result);
    return result;
}

std::string Loader::uncached_folder(const std::string& name) const {
    if (!has_cache_ || cache_.count(name) != 0)
        return {};
    for (const std::string& folder : configured_)
        if (const Candidate found = look(folder + '/' + name, "");
            found.fit == Candidate::Fit::loads && found.elf.bits != 0)
            return folder;
    return {};
}

} // namespace devq::doctor
