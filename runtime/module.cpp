#include "module.hpp"
#include "loader_words.hpp"
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <system_error>

namespace fs = std::filesystem;

namespace devq::detail {

namespace {

const char address_in_this_library = 0;

/// The file that this code lies in. dladdr() repeats the name that it was loaded by, which may be relative to a folder
/// that the process has left since: then the kernel's own map is read.
fs::path own_file() {
    Dl_info info{};
    if (dladdr(&address_in_this_library, &info) != 0 && info.dli_fname != nullptr && info.dli_fname[0] == '/')
        return info.dli_fname;
    const auto address = reinterpret_cast<std::uintptr_t>(&address_in_this_library);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        char* end = nullptr;
        const std::uintptr_t first = std::strtoull(line.c_str(), &end, 16);
        const std::uintptr_t last = *end == '-' ? std::strtoull(end + 1, nullptr, 16) : 0;
        const std::size_t path = line.find('/');
        if (first <= address && address < last && path != std::string::npos)
            return line.substr(path);
    }
    return {};
}

/// True when the module itself asks for `library` (its dynamic string table holds the name), rather than a library that
/// the module uses.
bool needs_directly(const fs::path& module, const std::string& library) {
    std::ifstream file(module, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return bytes.find('\0' + library + '\0') != std::string::npos;
}

std::string remedy_for(std::string_view name, std::string_view code, const std::string& library) {
    if (code == "library_missing" && library.rfind("libOpenCL.so", 0) == 0)
        return "Install an OpenCL ICD loader and a driver (Debian: ocl-icd-libopencl1, and pocl-opencl-icd for the "
               "CPU).";
    if (code == "library_missing" || code == "dependency_missing")
        return "Install the package that brings " + library +
               ", or add its folder to the loader's search path "
               "(LD_LIBRARY_PATH, ldconfig).";
    if (code == "symbol_missing")
        return "A library is older than the one that the " + std::string(name) +
               " backend was built with: update it, or "
               "build devq on this machine.";
    if (code == "permission")
        return "Make the file readable for this user, on a file system that allows execution.";
    return "The file is damaged or made for another kind of machine: install or build devq's " + std::string(name) +
           " backend again.";
}

LoadedModule failed(std::string_view name, fs::path path, std::string_view code, std::string reason,
                    std::string remedy) {
    LoadedModule result;
    result.path = std::move(path);
    result.failure = {std::string(name), std::string(code), std::move(reason), std::move(remedy), {}};
    return result;
}

/// Kernels compiled ahead lie in the module, and what launches them in this library: the contract does not cover that.
bool same_release(const backend::Module& module) {
    return module.devq_version != nullptr && std::string_view(module.devq_version) == DEVQ_VERSION_STRING;
}

LoadedModule open_module(std::string_view name, const fs::path& path) {
    // RTLD_NOW: a missing symbol must show here, not abort later. RTLD_LOCAL: no vendor's symbols reach another module.
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* words = dlerror();
        const std::string reason = words != nullptr ? words : "dlopen failed and said nothing";
        const std::string library = missing_library(reason);
        const bool direct = !library.empty() && needs_directly(path, library);
        const std::string_view code = loader_code(reason, direct ? library : std::string());
        return failed(name, path, code, reason, remedy_for(name, code, library));
    }
    const auto entry = reinterpret_cast<const backend::Module* (*)()>(dlsym(handle, backend::module_symbol));
    const std::string install_both = "Install the module and libdevq of the same devq release.";
    if (entry == nullptr) {
        dlclose(handle);
        return failed(name, path, "symbol_missing",
                      path.string() + ": undefined symbol: " + backend::module_symbol + " (not a devq backend)",
                      "Remove the file, or put a devq backend in its place.");
    }
    const backend::Module expected;
    const backend::Module* module = entry();
    if (module == nullptr || module->contract_version != expected.contract_version ||
        module->contract_size != expected.contract_size || !same_release(*module) || module->create == nullptr) {
        std::string reason = path.string() + ": ";
        if (module == nullptr)
            reason += "describes no backend";
        else if (module->contract_version != expected.contract_version) // what follows may lie elsewhere: not read
            reason += "made for version " + std::to_string(module->contract_version) +
                      " of the backend contract; this devq " DEVQ_VERSION_STRING " has version " +
                      std::to_string(expected.contract_version);
        else if (module->contract_size != expected.contract_size)
            reason += "its types have " + std::to_string(module->contract_size) + " bytes where this devq's have " +
                      std::to_string(expected.contract_size) + " (another compiler or standard library)";
        else if (!same_release(*module))
            reason += std::string("of devq ") + (module->devq_version != nullptr ? module->devq_version : "?") +
                      "; this is devq " DEVQ_VERSION_STRING;
        else
            reason += "cannot make its backend";
        dlclose(handle);
        return failed(name, path, "driver_broken", std::move(reason), install_both);
    }
    LoadedModule result;
    result.module = module;
    result.path = path;
    return result;
}

} // namespace

fs::path library_folder() {
    std::error_code ignored;
    const fs::path own = own_file();
    const fs::path real = own.empty() ? own : fs::canonical(own, ignored); // a link is not where the modules lie
    return (real.empty() ? own : real).parent_path();
}

std::vector<fs::path> module_folders() {
    std::vector<fs::path> folders;
    if (const fs::path folder = library_folder(); !folder.empty()) {
        folders.push_back(folder);
        folders.push_back(folder / "devq");
    }
    if (const char* list = secure_getenv("DEVQ_BACKEND_PATH")) {
        std::string_view rest = list;
        while (!rest.empty()) {
            const std::size_t colon = rest.find(':');
            if (const fs::path folder(rest.substr(0, colon)); folder.is_absolute())
                folders.push_back(folder);
            rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
        }
    }
    return folders;
}

LoadedModule load_module(std::string_view name, const std::vector<fs::path>& folders) {
    const std::string file = "libdevq-" + std::string(name) + ".so";
    std::string searched;
    for (const fs::path& folder : folders) {
        const fs::path path = folder / file;
        std::error_code status;
        if (fs::exists(path, status) || (status && status != std::errc::no_such_file_or_directory))
            return open_module(name, path);
        searched += (searched.empty() ? "" : ", ") + folder.string();
    }
    return failed(name, {}, "library_missing", file + ": not found in " + (searched.empty() ? "any folder" : searched),
                  (name == "cpu"
                       ? std::string("Install devq again as a whole: this backend belongs to every devq")
                       : "Build devq with this backend (meson configure -D" + std::string(name) + "=enabled)") +
                      ", or name the absolute folder that holds it in DEVQ_BACKEND_PATH.");
}

} // namespace devq::detail
