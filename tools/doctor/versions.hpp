#pragma once
/// Versions, and the table of what fits what (versions.tsv).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace devq::doctor {

/// By numbers: "12.10" is newer than "12.9"; a missing part is 0.
bool older(std::string_view a, std::string_view b);
/// The number before the first dot; 0 for what has none.
int major_of(std::string_view version);
/// "12.4" of "12.4.127"
std::string short_version(std::string_view version);

/// A row of versions.tsv.
struct VersionRow {
    std::string_view product; ///< "cuda", "cuda_branch", "cudnn", "chip", "gfx"
    std::string_view version; ///< "12.4", "9", "GM", "803"
    std::string_view needs;   ///< "driver", "driver_below", "cuda", "cuda_below", "rocm_below", "open_module"
    std::string_view limit;   ///< "550.54.14"
    std::string_view source;
};
const std::vector<VersionRow>& version_table();

/// The limit of the row, for a product of exactly that version; empty where there is none.
std::string_view limit_of(std::string_view product, std::string_view version, std::string_view needs);
/// The newest CUDA that the driver speaks by itself ("12.4"); empty for an unknown or too old one.
std::string cuda_of_driver(std::string_view driver);
/// A model in NVIDIA's words, from the name of its chip ("AD102 [GeForce RTX 4090]" is "AD"); empty where it is
/// unknown.
std::string chip_family(std::string_view pci_name);
/// "Ada"
std::string_view family_name(std::string_view family);

} // namespace devq::doctor
