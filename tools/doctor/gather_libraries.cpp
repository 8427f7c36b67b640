// Vendor libraries: which file the loader takes, and what that lacks.
#include "facts.hpp"
#include <algorithm>
#include <cctype>

namespace devq::doctor {

namespace {

constexpr const char* sonames[] = {
    "libcuda.so.1",      "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1",
    "libnvrtc.so.13",    "libnvrtc.so.12",    "libnvrtc.so.11.2",
    "libcudart.so.13",   "libcudart.so.12",   "libcudart.so.11.0",
    "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11",
    "libcudnn.so.9",     "libcudnn.so.8",     "libOpenCL.so.1",
    "libamdocl64.so",    "libamdhip64.so",    "libhsa-runtime64.so.1",
};
/// Where drivers and toolkits put libraries that the loader may not have been told of.
constexpr const char* usual_folders[] = {
    "/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/opt/cuda/lib64",
    "/usr/lib/wsl/lib",      "/opt/rocm/lib",       "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib64/nvidia",     "/usr/lib/nvidia",     "/usr/local/lib",
};

/// "535.129.03" of libcuda.so.535.129.03; where the name has no more, what the soname has.
std::string version_of(const std::string& target, const std::string& soname) {
    const std::string name = target.substr(target.rfind('/') + 1);
    const std::size_t end = name.find(".so.");
    const std::string from_soname = soname.substr(std::min(soname.find(".so.") + 4, soname.size()));
    const std::string version = end == std::string::npos ? from_soname : name.substr(end + 4);
    return !version.empty() && std::isdigit(static_cast<unsigned char>(version[0])) != 0 ? version : from_soname;
}

} // namespace

void gather_libraries(const System& system, Facts& facts) {
    const Loader loader(system);
    facts.variable_folders = loader.variable_folders();
    facts.glibc = loader.glibc();
    for (const char* soname : sonames) {
        Library library;
        library.soname = soname;
        library.candidates = loader.find(soname);
        if (const Candidate* one = Loader::taken(library.candidates)) {
            library.taken = static_cast<int>(one - library.candidates.data());
            library.version = version_of(one->target, soname);
            library.missing = loader.missing(*one);
        } else {
            library.uncached = loader.uncached_folder(soname);
        }
        std::vector<std::string> folders;
        for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
            if (const std::string toolkit = facts.variable(variable); !toolkit.empty() && toolkit[0] == '/')
                folders.insert(folders.end(), {toolkit + "/lib64", toolkit + "/lib"});
        folders.insert(folders.end(), std::begin(usual_folders), std::end(usual_folders));
        for (const std::string& folder : folders)
            if (library.taken < 0 && system.there(folder + '/' + soname))
                library.elsewhere.push_back(folder + '/' + soname);
        facts.libraries[soname] = std::move(library);
    }
    gather_icds(system, loader, facts);
}

} // namespace devq::doctor
