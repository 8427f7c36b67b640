// Variables that name files and folders: is there what they name?
#include "facts.hpp"

namespace devq::doctor {

namespace {

/// A program by path, or by name on the PATH, as the cpu backend looks for it: no command line.
bool has_program(const System& system, const std::string& path, const std::string& program) {
    if (holds(program, "/"))
        return system.there(program);
    for (const std::string& folder : split(path, ':'))
        if (!folder.empty() && folder[0] == '/' && system.there(folder + '/' + program))
            return true;
    return false;
}

} // namespace

void gather_environment(const System& system, Facts& facts) {
    const auto value = [&](const char* name) { return facts.variable(name); };
    for (const std::string& folder : facts.variable_folders)
        if (!folder.empty() && folder[0] == '/' && !system.is_folder(folder))
            facts.missing_folders.push_back(folder);
    if (const std::string file = value("DEVQ_NVRTC"); !file.empty()) {
        if (file[0] == '/' && !system.there(file)) {
            facts.unusable["DEVQ_NVRTC"] = "is not there";
        } else if (file[0] == '/') {
            const ElfFile elf = read_elf(system.file(file));
            if (!elf.problem.empty())
                facts.unusable["DEVQ_NVRTC"] = elf.problem;
            else if (own_machine() != 0 && elf.machine != own_machine())
                facts.unusable["DEVQ_NVRTC"] = "is for " + machine_name(elf.machine);
        }
    }
    if (const std::string compiler = value("DEVQ_CXX"); !compiler.empty())
        if (!has_program(system, value("PATH"), compiler))
            facts.unusable["DEVQ_CXX"] = "is not there";
    for (const char* name : {"DEVQ_CACHE_DIR", "POCL_CACHE_DIR"})
        if (const std::string folder = value(name); !folder.empty()) {
            if (folder[0] != '/')
                facts.unusable[name] = "is no absolute path";
            else if (system.is_folder(folder) && !system.writable(folder))
                facts.unusable[name] = "cannot be written";
            else if (system.there(folder) && !system.is_folder(folder))
                facts.unusable[name] = "is no folder";
        }
    for (const std::string& folder : split(value("DEVQ_BACKEND_PATH"), ':'))
        if (folder.empty() || folder[0] != '/' || !system.is_folder(folder))
            facts.unusable["DEVQ_BACKEND_PATH"] = folder.empty()     ? "has an empty part"
                                                  : folder[0] != '/' ? folder + " is no absolute path"
                                                                     : folder + " is not there";
}

} // namespace devq::doctor
