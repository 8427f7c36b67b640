#pragma once
/// What a shared library's file says of itself: enough to tell what the dynamic loader will make of it.

#include <filesystem>
#include <string>
#include <vector>

namespace devq::doctor {

struct ElfFile {
    std::string problem;  ///< why it is no library that can be read ("is empty", "is no ELF file"); else empty
    int bits = 0;         ///< 32 or 64
    unsigned machine = 0; ///< e_machine: 62 is x86-64, 183 aarch64, 3 i386
    std::string soname;
    std::vector<std::string> needed;
    std::vector<std::string> run_path;       ///< DT_RUNPATH, or DT_RPATH where there is none
    std::vector<std::string> needs_versions; ///< "GLIBC_2.34"
    std::vector<std::string> has_versions;   ///< of the C library's own file
};

ElfFile read_elf(const std::filesystem::path& file);

/// The machine that this program is made for.
unsigned own_machine() noexcept;
/// "x86-64", "i386", "aarch64", "machine 21"
std::string machine_name(unsigned machine);

} // namespace devq::doctor
