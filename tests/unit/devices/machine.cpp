#include "machine.hpp"
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;

namespace support {

Machine::Machine(const std::map<std::string, std::string>& modules) {
    const fs::path build = build_folder();
    fs::copy_file(build / "devq", folder_.path / "tool"); // not "devq": the library looks for a folder of that name
    fs::copy_file(build / "libdevq.so.0", folder_.path / "libdevq.so.0");
    fs::copy_file("/proc/self/exe", folder_.path / "probe");
    for (const auto& [name, file] : modules) {
        fs::create_directories((folder_.path / name).parent_path());
        fs::copy_file(standin(file), folder_.path / name);
    }
    environment = {{"DEVQ_DEVICE", unset},
                   {"DEVQ_STRICT", unset},
                   {"DEVQ_BACKEND_PATH", unset},
                   {"CUDA_VISIBLE_DEVICES", unset},
                   {"FAKE_LOG", (folder_.path / "log").string()},
                   {"FAKE_cpu", "Fake CPU|AMD|cpu|"}};
}

Result Machine::devq(std::vector<std::string> words) const {
    words.insert(words.begin(), (folder_.path / "tool").string());
    return run(words, environment);
}

Result Machine::probe(const std::string& what, const std::string& selector) const {
    return run({(folder_.path / "probe").string(), "--probe", what, selector}, environment);
}

std::string Machine::log() const {
    std::ifstream stream(folder_.path / "log");
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void Machine::clear_log() const { fs::remove(folder_.path / "log"); }

} // namespace support
