#pragma once
/// Machines as short descriptions (machines/*.txt), and the folders that are made of them. machines/README.txt has the
/// format.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace doctor_test {

struct Line {
    std::string verb, rest;
};

struct MachineText {
    std::string name, area;
    std::vector<Line> lines;           ///< those of the machine that it is like first
    std::vector<std::string> expected; ///< "id" or "id:severity", in order
    std::vector<std::string> says;     ///< parts of what is found, or of its remedy
    std::string about;                 ///< the device of the first finding, where the text says one
    std::vector<std::string> shell;    ///< parts of what --env prints
    bool is_base = false;              ///< only for others to be like
    int exit_code = 0;
};

/// Every machine of machines/, by file and place. Throws std::runtime_error for a line that it does not know.
std::vector<MachineText> read_machines(const std::filesystem::path& folder);

struct Built {
    std::filesystem::path python; ///< stand-in interpreter, or empty
};
/// Makes the machine's files under `root`, an empty folder.
Built build_machine(const MachineText& machine, const std::filesystem::path& root);

} // namespace doctor_test
