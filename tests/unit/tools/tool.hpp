#pragma once
/// The devq program as a process, on kernels from a folder of the test's own.

#include "../devices/support.hpp"
#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tools_test {

using nlohmann::json;

class Workplace {
public:
    std::string file(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.path / name;
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    std::string path(const std::string& name) const { return folder_.path / name; }

    support::Result devq(std::vector<std::string> words) const {
        words.insert(words.begin(), support::build_folder() / "devq");
        return support::run(words, {{"DEVQ_DEVICE", support::unset}});
    }
    /// One that must end well and print one JSON document.
    json document(std::vector<std::string> words) const {
        words.emplace_back("--json");
        const support::Result result = devq(words);
        CAPTURE(result.err);
        CAPTURE(result.out);
        CHECK(result.status == 0);
        return json::parse(result.out, nullptr, false);
    }

private:
    support::Folder folder_;
};

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// Every device of this machine, by id.
inline std::vector<std::string> devices(const Workplace& here) {
    std::vector<std::string> ids;
    const json listed = here.document({"list"});
    for (const json& device : listed.at("devices"))
        ids.push_back(device.at("id"));
    return ids;
}

} // namespace tools_test
