// The kernel: its modules, Secure Boot, containers, WSL, and what NVIDIA's module says.
#include "facts.hpp"
#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace devq::doctor {

namespace {

/// The kernel's name of a module: "nvidia-uvm" and "nvidia_uvm" are one. Debian, where several drivers can be installed
/// side by side, calls the files of NVIDIA's "nvidia-current", "nvidia-tesla-470-uvm", "nvidia-legacy-390xx", ...
std::string plain(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    for (const std::string_view kind : {"nvidia_current", "nvidia_tesla", "nvidia_legacy"}) {
        if (!name.starts_with(kind))
            continue;
        std::size_t end = kind.size();
        if (end + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[end + 1])) != 0)
            end = std::min(name.find('_', end + 1), name.size());
        if (name.compare(end, 5, "_open") == 0)
            end += 5;
        return "nvidia" + name.substr(end);
    }
    return name;
}

/// The file of each wanted module, from a kernel's modules.dep.
std::map<std::string, std::string> files_in(const System& system, const std::string& release) {
    std::map<std::string, std::string> files;
    const std::filesystem::path list = system.file("/lib/modules/" + release + "/modules.dep");
    std::ifstream stream(list); // may be longer than a MiB
    for (std::string line; !list.empty() && std::getline(stream, line);) {
        const std::string path = line.substr(0, line.find(':'));
        std::string name = path.substr(path.rfind('/') + 1);
        name = plain(name.substr(0, name.find(".ko")));
        files.emplace(name, path[0] == '/' ? path : "/lib/modules/" + release + '/' + path);
    }
    std::istringstream built_in(system.read("/lib/modules/" + release + "/modules.builtin").value_or(""));
    for (std::string path; built_in >> path;) {
        const std::string name = path.substr(path.rfind('/') + 1);
        files.emplace(plain(name.substr(0, name.find(".ko"))), "built in");
    }
    return files;
}

/// A signed module ends so; a compressed one hides it, and counts as signed.
bool is_signed(const System& system, const std::string& path) {
    constexpr std::string_view mark = "~Module signature appended~\n";
    const std::filesystem::path file = system.file(path);
    if (path == "built in" || !path.ends_with(".ko"))
        return true;
    std::ifstream stream(file, std::ios::binary);
    std::string end(mark.size(), '\0');
    stream.seekg(-static_cast<std::streamoff>(mark.size()), std::ios::end);
    return stream && stream.read(end.data(), static_cast<std::streamsize>(end.size())) && end == mark;
}

/// "FILE: LINE" of what forbids the module.
std::string blocker_of(const System& system, const std::string& name, const std::string& command_line) {
    for (const char* folder : {"/etc/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d", "/run/modprobe.d"})
        for (const std::string& file : system.entries(folder)) {
            if (!file.ends_with(".conf"))
                continue;
            std::istringstream lines(system.read(std::string(folder) + '/' + file).value_or(""));
            for (std::string line; std::getline(lines, line);) {
                std::istringstream words(line);
                std::string verb, module, command;
                words >> verb >> module >> command;
                const bool off = command == "/bin/false" || command == "/bin/true" || command == "/usr/bin/false" ||
                                 command == "/usr/bin/true";
                if (plain(module) == name && (verb == "blacklist" || (verb == "install" && off)))
                    return std::string(folder) + '/' + file + ": " + trimmed(line);
            }
        }
    for (const std::string& word : split(command_line, ' '))
        for (const char* option : {"modprobe.blacklist=", "module_blacklist=", "rd.driver.blacklist="})
            if (word.starts_with(option))
                for (const std::string& one : split(word.substr(word.find('=') + 1), ','))
                    if (plain(one) == name)
                        return "/proc/cmdline: " + word;
    return {};
}

std::string container_of(const System& system) {
    if (system.there("/run/.containerenv"))
        return "podman";
    const std::string first =
        system.read("/proc/1/cgroup").value_or("") + system.read("/proc/self/cgroup").value_or("");
    if (holds(first, "kubepods") || !system.variable("KUBERNETES_SERVICE_HOST").value_or("").empty())
        return "kubernetes";
    if (system.there("/.dockerenv") || holds(first, "/docker"))
        return "docker";
    std::string said = system.variable("container").value_or("");
    if (said.empty())
        said = system.first_line("/run/systemd/container");
    if (said.empty() && holds(first, "/lxc"))
        said = "lxc";
    return said == "wsl" ? "" : said;
}

void gather_mig(const System& system, Kernel& kernel) {
    const std::string root = "/proc/driver/nvidia/capabilities";
    for (const std::string& gpu : system.entries(root))
        for (const std::string& instance : system.entries(root + '/' + gpu + "/mig")) {
            if (!instance.starts_with("gi"))
                continue;
            kernel.nodes_of_mig = true;
            std::istringstream lines(system.read(root + '/' + gpu + "/mig/" + instance + "/access").value_or(""));
            std::string name;
            for (unsigned minor = 0; lines >> name >> minor;)
                if (const Node node = system.node("/dev/nvidia-caps/nvidia-cap" + std::to_string(minor));
                    name == "DeviceFileMinor:" && !node.readable) // they are only read
                    kernel.mig_nodes.push_back(node.path + (node.there ? " " + node.rights() : " is not there"));
        }
}

void gather_nvidia(const System& system, Kernel& kernel) {
    const std::string said = system.first_line("/proc/driver/nvidia/version");
    if (!said.empty())
        kernel.nvidia_kind = holds(said, "Open Kernel Module") ? "open" : "proprietary";
    std::string& version = kernel.modules["nvidia"].version;
    version = system.first_line("/sys/module/nvidia/version");
    if (version.empty()) { // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 …"
        std::istringstream words(said);
        for (std::string word; words >> word;)
            if (version.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0 && holds(word, "."))
                version = word;
    }
    const std::string gpus = "/proc/driver/nvidia/gpus";
    for (const std::string& address : system.entries(gpus)) {
        std::istringstream lines(system.read(gpus + '/' + address + "/information").value_or(""));
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("GPU UUID:"))
                kernel.uuids[address] = trimmed(line.substr(9));
    }
    const std::string sources = "/var/lib/dkms/";
    for (const std::string& name : system.entries(sources))
        if (plain(name) == "nvidia" || name == "nvidia-open")
            for (const std::string& entry : system.entries(sources + name))
                if (std::isdigit(static_cast<unsigned char>(entry[0])) != 0)
                    kernel.dkms_nvidia.push_back(sources + name + '/' + entry);
}

} // namespace

void gather_kernel(const System& system, Facts& facts) {
    Kernel& kernel = facts.kernel;
    kernel.release = system.first_line("/proc/sys/kernel/osrelease");
    kernel.command_line = system.first_line("/proc/cmdline");
    const bool microsoft = holds(kernel.release, "icrosoft");
    kernel.wsl2 = microsoft && (holds(kernel.release, "WSL2") || holds(kernel.release, "microsoft-standard"));
    kernel.wsl1 = microsoft && !kernel.wsl2;
    const auto secure = system.read("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
    if (secure && secure->size() >= 5) // four bytes of attributes, then the value
        kernel.secure_boot = (*secure)[4] == 1;
    kernel.has_headers = system.is_folder("/lib/modules/" + kernel.release + "/build");
    kernel.container = container_of(system);
    kernel.has_amd_firmware = !system.entries("/lib/firmware/amdgpu").empty();

    const auto own = files_in(system, kernel.release);
    std::map<std::string, std::map<std::string, std::string>> others;
    for (const std::string& release : system.entries("/lib/modules"))
        if (release != kernel.release)
            others[release] = files_in(system, release);
    for (const char* name : {"nvidia", "nvidia_uvm", "nouveau", "amdgpu", "radeon", "i915", "xe"}) {
        Module& module = kernel.modules[name];
        module.name = name;
        module.loaded = system.is_folder(std::string("/sys/module/") + name);
        if (const auto found = own.find(name); found != own.end()) {
            module.file = found->second;
            module.is_signed = is_signed(system, module.file);
        } else {
            for (const auto& [release, files] : others)
                if (files.count(name) != 0)
                    module.other_kernels.push_back(release);
        }
        module.blocked_by = blocker_of(system, name, kernel.command_line);
    }
    gather_nvidia(system, kernel);
    gather_mig(system, kernel);
    // What laptops' switches say: "0000:01:00.0 OFF".
    std::istringstream words(system.first_line("/proc/acpi/bbswitch"));
    std::string address, state;
    if (words >> address >> state && state == "OFF")
        kernel.switched_off[address] = "/proc/acpi/bbswitch";
}

} // namespace devq::doctor
