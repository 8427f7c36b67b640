#pragma once
/// Shared libraries in name only: what a loader reads of them, and no code.

#include <string>
#include <vector>

namespace doctor_test {

struct ElfText {
    int bits = 64;
    unsigned machine = 0; ///< 0: this one, or i386 for 32 bit
    std::string soname, run_path;
    std::vector<std::string> needed;
    std::string needs_glibc;                ///< "2.38"
    std::vector<std::string> defines_glibc; ///< "2.36"
};

/// The bytes of such a file.
std::string elf_file(const ElfText& text);

} // namespace doctor_test
