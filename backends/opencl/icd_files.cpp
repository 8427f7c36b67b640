#include "icd_files.hpp"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace devq::opencl {

namespace {

namespace fs = std::filesystem;
constexpr const char* default_folder = "/etc/OpenCL/vendors";

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Where the dynamic linker would most likely find a bare name: only used to notice that a driver was replaced.
fs::path find_library(const std::string& library) {
    std::error_code error;
    if (library.find('/') != std::string::npos)
        return fs::exists(library, error) ? fs::path(library) : fs::path();
    std::vector<std::string> folders;
    std::string_view rest = variable("LD_LIBRARY_PATH");
    while (!rest.empty()) {
        const auto colon = std::min(rest.find(':'), rest.size());
        if (colon > 0 && rest.front() == '/')
            folders.emplace_back(rest.substr(0, colon));
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    for (const char* folder : {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu",
                               "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
        folders.emplace_back(folder);
    for (const std::string& folder : folders)
        if (fs::exists(fs::path(folder) / library, error))
            return fs::path(folder) / library;
    return {};
}

IcdFile read_icd(const fs::path& file) {
    IcdFile icd;
    icd.file = file;
    std::ifstream stream(file);
    // Blanks or a carriage return behind the name are part of it, as they are for the loader.
    if (!stream)
        icd.problem = "cannot be read";
    else if (!std::getline(stream, icd.library) || icd.library.find_first_not_of(" \t\r") == std::string::npos)
        icd.problem = "names no library in its first line";
    if (icd.problem.empty())
        icd.resolved = find_library(icd.library);
    return icd;
}

std::vector<IcdFile> icds_in(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error))
        if (it->path().extension() == ".icd")
            files.push_back(it->path());
    std::sort(files.begin(), files.end());
    std::vector<IcdFile> icds;
    for (const fs::path& file : files)
        icds.push_back(read_icd(file));
    return icds;
}

} // namespace

std::vector<IcdFile> icd_files() {
    std::string_view setting = variable("OCL_ICD_VENDORS");
    if (setting.empty())
        setting = variable("OPENCL_VENDOR_PATH");
    if (setting.empty())
        return icds_in(default_folder);
    const fs::path path(setting);
    std::error_code error;
    if (fs::is_directory(path, error))
        return icds_in(path);
    if (path.extension() == ".icd") {
        const bool known = !path.has_parent_path() && fs::exists(default_folder / path, error);
        return {read_icd(known ? default_folder / path : path)};
    }
    IcdFile library; // the variable names the driver itself
    library.file = path;
    library.library = path.string();
    library.resolved = find_library(library.library);
    return {library};
}

} // namespace devq::opencl
