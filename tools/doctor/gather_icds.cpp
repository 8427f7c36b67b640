// OpenCL's drivers, as both loaders would find them (docs/opencl.md).
#include "facts.hpp"

namespace devq::doctor {

namespace {

constexpr const char* default_folder = "/etc/OpenCL/vendors";

/// By the names that vendors give their libraries.
std::string maker_of(const std::string& library) {
    struct Mark {
        const char *part, *maker;
    };
    constexpr Mark marks[] = {
        {"nvidia", "nvidia"},         {"amdocl", "amd"},        {"igdrcl", "intel"}, {"intelocl", "intel-cpu"},
        {"RusticlOpenCL", "rusticl"}, {"MesaOpenCL", "clover"}, {"pocl", "pocl"}};
    for (const Mark& mark : marks)
        if (holds(library, mark.part))
            return mark.maker;
    return {};
}

void resolve(const Loader& loader, Icd& icd) {
    icd.maker = maker_of(icd.library);
    if (!icd.problem.empty())
        return;
    icd.candidates = loader.find(icd.library);
    if (const Candidate* one = Loader::taken(icd.candidates)) {
        icd.taken = static_cast<int>(one - icd.candidates.data());
        icd.missing = loader.missing(*one);
    }
}

Icd read_icd(const System& system, const Loader& loader, const std::string& path) {
    Icd icd;
    icd.file = path;
    const auto text = system.read(path);
    if (!text)
        icd.problem = system.there(path)   ? "cannot be read"
                      : system.named(path) ? "is a link to " + system.link(path) + ", which is not there"
                                           : "is not there";
    else
        icd.library = text->substr(0, text->find('\n'));
    bool readable = true;
    for (const char c : icd.library)
        readable = readable && (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r');
    if (icd.problem.empty() && (trimmed(icd.library).empty() || !readable)) {
        icd.problem = "names no library in its first line";
        icd.library.clear();
    }
    resolve(loader, icd);
    return icd;
}

std::vector<std::string> icd_names(const System& system, const std::string& folder) {
    std::vector<std::string> paths;
    for (const std::string& name : system.entries(folder))
        if (name.ends_with(".icd"))
            paths.push_back(folder + (folder.back() == '/' ? "" : "/") + name);
    return paths;
}

} // namespace

void gather_icds(const System& system, const Loader& loader, Facts& facts) {
    IcdFacts& icd = facts.icd;
    for (const char* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"})
        if (icd.variable.empty() && !facts.variable(variable).empty()) {
            icd.variable = variable;
            icd.setting = facts.variable(variable);
        }
    icd.folder = default_folder;
    std::vector<std::string> paths;
    if (icd.variable.empty() || system.is_folder(icd.setting)) {
        icd.folder = icd.variable.empty() ? default_folder : icd.setting;
        icd.folder_there = system.is_folder(icd.folder);
        paths = icd_names(system, icd.folder);
    } else if (icd.setting.ends_with(".icd")) {
        const bool bare = !holds(icd.setting, "/");
        paths = {bare ? std::string(default_folder) + '/' + icd.setting : icd.setting};
        icd.folder_there = system.there(paths[0]);
    } else { // the variable names the library itself
        Icd one;
        one.file = icd.setting;
        one.library = icd.setting;
        resolve(loader, one);
        icd.folder_there = !one.candidates.empty();
        if (icd.folder_there)
            icd.icds.push_back(std::move(one));
    }
    for (const std::string& path : paths)
        icd.icds.push_back(read_icd(system, loader, path));
    if (!icd.variable.empty())
        for (const std::string& path : icd_names(system, default_folder))
            if (!contains(paths, path))
                icd.hidden.push_back(path);
}

} // namespace devq::doctor
