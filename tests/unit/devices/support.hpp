#pragma once
/// Folders and processes for the tests of this area.

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace support {

/// A folder that goes when the test does.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path path;
};

/// Where this program, the library, the modules and `devq` lie.
std::filesystem::path build_folder();
/// A file of tests/unit/devices/modules.
std::filesystem::path standin(const std::string& name);

struct Result {
    int status = -1; ///< exit status; 128 + number of the signal that ended it
    std::string out, err;
};

/// The value of a variable that the process is not to have.
inline constexpr const char* unset = "\x01";
/// Runs a program to its end, or for as long as `limit`, in the test's own environment as `environment` changes it.
Result run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment = {},
           std::chrono::seconds limit = std::chrono::seconds(30));

} // namespace support
