#pragma once
#include "support.hpp"
#include <map>
#include <string>

namespace support {

/// A copy of devq with modules of the tests' own beside it.
class Machine {
public:
    /// `modules`: file name to put beside the library ("libdevq-cpu.so"; a folder may come first) → file of modules/.
    explicit Machine(const std::map<std::string, std::string>& modules = {
                         {"libdevq-cuda.so", "fake_backend.so"},
                         {"libdevq-opencl.so", "fake_backend.so"},
                         {"libdevq-cpu.so", "fake_backend.so"},
                     });

    /// `devq` with these words.
    Result devq(std::vector<std::string> words) const;
    /// probe.cpp in this folder.
    Result probe(const std::string& what, const std::string& selector = {}) const;
    /// What the fake modules were asked, a line each: "enumerate cpu\nopen cpu\n".
    std::string log() const;
    void clear_log() const;

    /// Set for every process: the fake devices and devq's own variables. Those of the test's environment are unset.
    std::map<std::string, std::string> environment;
    const std::filesystem::path& path() const { return folder_.path; }

private:
    Folder folder_;
};

} // namespace support
