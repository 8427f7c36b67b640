// CUDA toolkits and ROCm.
#include "facts.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

/// From version.json, version.txt, or the folder's name.
std::string version_in(const System& system, const std::string& folder) {
    const std::string json = system.read(folder + "/version.json").value_or("");
    if (const std::size_t part = json.find("\"cuda\""); part != std::string::npos)
        if (std::size_t at = json.find("\"version\"", part); at != std::string::npos) {
            at = json.find('"', json.find(':', at));
            if (at != std::string::npos)
                return json.substr(at + 1, json.find('"', at + 1) - at - 1);
        }
    const std::string text = system.first_line(folder + "/version.txt"); // "CUDA Version 11.0.228"
    if (text.starts_with("CUDA Version "))
        return text.substr(13);
    const std::size_t dash = folder.rfind("cuda-");
    return dash == std::string::npos ? std::string() : folder.substr(dash + 5, folder.find('/', dash) - dash - 5);
}

void add(const System& system, Facts& facts, const std::string& folder) {
    const std::string target = system.target(folder);
    if (target.empty() || !system.is_folder(folder))
        return;
    for (const Toolkit& known : facts.toolkits)
        if (known.target == target)
            return;
    Toolkit toolkit;
    toolkit.folder = folder;
    toolkit.target = target;
    toolkit.version = version_in(system, target);
    toolkit.has_compiler = system.there(folder + "/bin/nvcc");
    toolkit.has_libraries = system.is_folder(folder + "/lib64") || system.is_folder(folder + "/lib");
    toolkit.alone = target != "/usr" && target != "/usr/local" && !system.is_folder(target + "/conda-meta") &&
                    !system.there(target + "/bin/python3");
    if (toolkit.has_compiler || !toolkit.version.empty())
        facts.toolkits.push_back(std::move(toolkit));
}

} // namespace

void gather_toolkits(const System& system, Facts& facts) {
    for (const char* folder : {"/usr/local/cuda", "/opt/cuda"})
        add(system, facts, folder);
    for (const std::string& name : system.entries("/usr/local"))
        if (name.starts_with("cuda-"))
            add(system, facts, "/usr/local/" + name);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string folder = facts.variable(variable); !folder.empty() && folder[0] == '/')
            add(system, facts, folder);
    for (const std::string& folder : split(facts.variable("PATH"), ':')) {
        if (!folder.ends_with("/bin") || !system.there(folder + "/nvcc"))
            continue;
        // It may be a link into a toolkit, as in /usr/local/bin.
        const std::string compiler = system.target(folder + "/nvcc");
        if (!compiler.ends_with("/bin/nvcc"))
            continue;
        const std::string target = compiler.substr(0, compiler.size() - 9);
        if (target != "/usr" && target != "/usr/local" && !target.empty())
            add(system, facts, system.target(folder) == target + "/bin" ? folder.substr(0, folder.size() - 4) : target);
        if (!contains(facts.nvcc_on_path, target))
            facts.nvcc_on_path.push_back(target);
    }
    for (const char* folder : {"/opt/rocm", "/usr"})
        if (facts.rocm.empty())
            facts.rocm = system.first_line(std::string(folder) + "/.info/version");
    for (const std::string& name : system.entries("/opt"))
        if (facts.rocm.empty() && name.starts_with("rocm-"))
            facts.rocm = name.substr(5);
    facts.rocm = facts.rocm.substr(0, facts.rocm.find('-'));
}

} // namespace devq::doctor
