// The distribution, the user, the processor and its compilers.
#include "facts.hpp"
#include <algorithm>
#include <sstream>

namespace devq::doctor {

namespace {

std::string unquoted(std::string text) {
    if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
        text = text.substr(1, text.size() - 2);
    return text;
}

/// The manager of packages of a family of distributions: their own names first, then those that they are like.
std::string manager_of(const std::string& ids) {
    struct Family {
        const char *id, *packages;
    };
    constexpr Family families[] = {
        {"ubuntu", "ubuntu"},  {"linuxmint", "ubuntu"}, {"pop", "ubuntu"},  {"debian", "apt"},
        {"fedora", "dnf"},     {"rhel", "dnf"},         {"centos", "dnf"},  {"rocky", "dnf"},
        {"almalinux", "dnf"},  {"amzn", "dnf"},         {"ol", "dnf"},      {"arch", "pacman"},
        {"manjaro", "pacman"}, {"opensuse", "zypper"},  {"suse", "zypper"}, {"sles", "zypper"},
    };
    std::istringstream words(ids);
    for (std::string word; words >> word;)
        for (const Family& family : families)
            if (word == family.id || word.starts_with(std::string(family.id) + "-"))
                return family.packages;
    return {};
}

/// The x86-64 level that a list of /proc/cpuinfo's flags makes.
std::string level_of(const std::vector<std::string>& flags) {
    const auto all = [&](std::initializer_list<const char*> wanted) {
        return std::all_of(wanted.begin(), wanted.end(), [&](const char* flag) { return contains(flags, flag); });
    };
    if (!all({"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"}))
        return "v1";
    if (!all({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}))
        return "v2";
    return all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? "v4" : "v3";
}

} // namespace

void gather_computer(const System& system, Facts& facts) {
    std::istringstream release(
        system.read("/etc/os-release").value_or(system.read("/usr/lib/os-release").value_or("")));
    std::string like;
    for (std::string line; std::getline(release, line);) {
        const std::size_t sign = line.find('=');
        if (sign == std::string::npos)
            continue;
        const std::string name = line.substr(0, sign), value = unquoted(trimmed(line.substr(sign + 1)));
        if (name == "ID")
            facts.distribution.id = value;
        else if (name == "ID_LIKE")
            like = value;
        else if (name == "PRETTY_NAME")
            facts.distribution.name = value;
    }
    facts.distribution.packages = manager_of(facts.distribution.id + ' ' + like);
    facts.user = system.user();
    facts.user_name = system.user_name(facts.user.id);

    std::istringstream processors(system.read("/proc/cpuinfo").value_or(""));
    for (std::string line; std::getline(processors, line) && !line.empty();) { // the first one speaks for all
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        const std::string name = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
        if (name == "model name")
            facts.processor.name = value;
        else if (name == "flags")
            facts.processor.isa = level_of(split(value, ' '));
    }
    for (const char* compiler : {"c++", "g++", "clang++"})
        for (const std::string& folder : split(facts.variable("PATH"), ':'))
            if (!folder.empty() && folder[0] == '/' && system.there(folder + '/' + compiler)) {
                facts.processor.compilers.push_back(folder + '/' + compiler);
                break;
            }
}

} // namespace devq::doctor
