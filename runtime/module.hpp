#pragma once
/// Backend modules: finding, loading and checking `libdevq-NAME.so`.

#include "backend.hpp"
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace devq::detail {

/// The real folder that libdevq itself lies in (links followed); empty when the system does not tell.
std::filesystem::path library_folder();

/// Where modules are looked for: beside libdevq, `devq/` beside it, then the absolute folders of DEVQ_BACKEND_PATH
/// (separated by ':'; ignored in a set-user-id program). Never the current folder.
std::vector<std::filesystem::path> module_folders();

struct LoadedModule {
    const backend::Module* module = nullptr; ///< null: see failure
    std::filesystem::path path;
    Unavailable failure;
};

/// Loads the first `libdevq-NAME.so` of `folders`. Never throws for what is wrong with it. A loaded module stays loaded
/// for the life of the process.
LoadedModule load_module(std::string_view name, const std::vector<std::filesystem::path>& folders);

} // namespace devq::detail
