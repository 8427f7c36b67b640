#include "library.hpp"
#include "driver.hpp"
#include "loader_words.hpp"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace devq::cuda {

namespace {

Unavailable explain_loader(const std::string& reason, const std::string& name, const LibraryWords& words) {
    const std::string_view code = detail::loader_code(reason, name);
    const std::string product = words.product;
    if (code == "library_missing")
        return fault(code, reason, words.install);
    if (code == "dependency_missing")
        return fault(code, reason,
                     "Install the package that brings " + detail::missing_library(reason) +
                         ", or add its folder to the loader's search path.");
    if (code == "symbol_missing")
        return fault(code, reason, "Parts of different versions are mixed: install " + product + " again as a whole.");
    if (code == "permission")
        return fault(code, reason, "Make the file readable for this user, on a file system that allows execution.");
    return fault(code, reason, "The file is damaged or for another kind of machine: install " + product + " again.");
}

} // namespace

Unavailable fault(std::string_view code, std::string reason, std::string remedy) {
    return {"cuda", std::string(code), std::move(reason), std::move(remedy), {}};
}

std::optional<Library> open_library(const std::vector<std::string>& names, const LibraryWords& words,
                                    std::optional<Unavailable>& why) {
    for (const std::string& name : names) {
        if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
            return Library{handle, name};
        const char* said = dlerror();
        Unavailable now =
            explain_loader(said != nullptr ? said : "dlopen of " + name + " failed and said nothing", name, words);
        if (!why || (why->code == "library_missing" && now.code != "library_missing"))
            why = std::move(now);
    }
    return std::nullopt;
}

std::vector<std::string> toolkit_candidates(const char* named, std::vector<std::string> sonames, int driver_version) {
    if (const char* file = std::getenv(named); file != nullptr && *file != '\0')
        return {file};
    // What is built for a newer CUDA than the driver's comes last: it mostly does not work.
    const auto newer = [&](const std::string& soname) {
        return std::atoi(soname.c_str() + soname.find(".so.") + 4) > driver_version / 1000;
    };
    std::stable_partition(sonames.begin(), sonames.end(), [&](const std::string& soname) { return !newer(soname); });
    std::vector<std::string> names = sonames;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME", ""}) {
        const char* root = *variable != '\0' ? std::getenv(variable) : "/usr/local/cuda";
        if (root == nullptr || *root != '/')
            continue;
        for (const char* folder : {"/lib64/", "/lib/"})
            for (const std::string& soname : sonames)
                names.push_back(root + std::string(folder) + soname);
    }
    return names;
}

std::string file_of(const void* address) {
    Dl_info place{};
    return dladdr(address, &place) != 0 && place.dli_fname != nullptr ? place.dli_fname : "";
}

std::optional<Unavailable> other_cuda(const std::string& product, const std::string& file, std::size_t runtime,
                                      int driver_version) {
    const int major = static_cast<int>(runtime / 1000);
    if (driver_version <= 0 || major <= driver_version / 1000)
        return std::nullopt;
    return fault("driver_too_old",
                 product + " (" + file + ") is built for CUDA " + std::to_string(major) + ", the driver is for CUDA " +
                     version_text(driver_version),
                 "Update the driver, or install the library's build for CUDA " + std::to_string(driver_version / 1000) +
                     ".");
}

void* SymbolFinder::find(const char* symbol, const char* older) {
    if (void* address = dlsym(library_.handle, symbol))
        return address;
    if (void* address = dlsym(library_.handle, older))
        return address;
    missing_ += (missing_.empty() ? "" : ", ") + std::string(symbol);
    return nullptr;
}

std::optional<Unavailable> SymbolFinder::missing(const char* remedy) const {
    if (missing_.empty())
        return std::nullopt;
    return fault("symbol_missing", library_.name + ": undefined symbol: " + missing_, remedy);
}

} // namespace devq::cuda
