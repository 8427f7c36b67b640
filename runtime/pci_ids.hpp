#pragma once
/// Names of PCI devices from the list that systems carry, pci.ids.

#include <filesystem>
#include <string>
#include <string_view>

namespace devq::detail {

/// The list's file under `root`, where Debian, Fedora and others put it; empty where there is none.
std::filesystem::path pci_ids_file(const std::filesystem::path& root = "/");

/// "GH100 [H100 PCIe]" for vendor "10de" and device "2331" (hexadecimal, lower case, four digits); empty when the file
/// has no such line or cannot be read.
std::string pci_name(const std::filesystem::path& file, std::string_view vendor, std::string_view device);

} // namespace devq::detail
