#pragma once
/// Folders of drivers that are wrong each in its way (standin_icd.cpp), for the ICD loader.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace devq::opencl_test {

class DriverFolder {
public:
    /// `library`: the built stand-in.
    DriverFolder(std::filesystem::path folder, std::filesystem::path library)
        : path(std::move(folder)), library_(std::move(library)) {
        std::filesystem::create_directories(path);
    }

    /// A stand-in with `what` wrong; the library's file. `folder`: of the library, for a second one of the same kind.
    std::filesystem::path add(const std::string& what, const std::string& folder = "lib") const {
        const auto file = path / folder / ("standin-" + what + ".so");
        std::filesystem::create_directories(file.parent_path());
        std::filesystem::copy_file(library_, file, std::filesystem::copy_options::overwrite_existing);
        add_file(what + (folder == "lib" ? "" : '-' + folder) + ".icd", file.string() + '\n');
        return file;
    }
    void add_file(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }

    /// How often each driver was loaded by programs of that name, as the stand-ins tell in `log`; emptied by reading.
    static std::map<std::string, int> loads(const std::string& log, const std::string& program) {
        std::map<std::string, int> counts;
        {
            std::ifstream stream(log);
            for (std::string process, what; stream >> process >> what;)
                if (process == program)
                    ++counts[what];
        }
        std::ofstream(log, std::ios::trunc);
        return counts;
    }

    std::filesystem::path path;

private:
    std::filesystem::path library_;
};

} // namespace devq::opencl_test
