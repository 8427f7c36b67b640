#pragma once
/// Which drivers the ICD loader would load, by the rules of ocl-icd and of the Khronos loader, without loading any.

#include <filesystem>
#include <string>
#include <vector>

namespace devq::opencl {

struct IcdFile {
    std::filesystem::path file; ///< the .icd file, or the library itself where the user's setting names one
    std::string library;        ///< its first line: a path, or a name that the dynamic linker resolves
    /// The library's file, where it is a path or lies in a usual folder; empty where only the linker knows.
    std::filesystem::path resolved;
    std::string problem; ///< why the file is of no use ("cannot be read", "names no library in its first line"); empty
                         ///< when it is fine
};

/// In the loader's order of folders, files by name. Honours OCL_ICD_VENDORS (a folder, an .icd file, or the bare
/// name of one in the default folder, or a library) and OPENCL_VENDOR_PATH; else /etc/OpenCL/vendors.
std::vector<IcdFile> icd_files();

} // namespace devq::opencl
