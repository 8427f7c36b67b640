// A backend whose devices come from the environment, so that the tests lay out a machine of their own. The copy that is
// called libdevq-NAME.so reads FAKE_NAME: devices separated by ';', each NAME|VENDOR|TYPE|PCI, with a '!' at the end of
// the name of one that cannot be opened, a '?' of one that never answers when it is examined. FAKE_NAME_MISSING is
// CODE|REASON of what it lacks; FAKE_NAME_THROW is what enumerate() throws; with FAKE_NAME_HANGS it never ends. Each
// call is a line in the file FAKE_LOG.
#include "backend.hpp"
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace {

using namespace devq;

const char here = 0;

std::string own_name() {
    Dl_info info{};
    dladdr(&here, &info);
    std::string path = info.dli_fname;
    path = path.substr(path.rfind("libdevq-") + 8);
    return path.substr(0, path.find('.'));
}

std::string variable(const std::string& suffix) {
    const char* value = std::getenv(("FAKE_" + own_name() + suffix).c_str());
    return value != nullptr ? value : "";
}

void log(const std::string& what) {
    if (const char* file = std::getenv("FAKE_LOG"))
        std::ofstream(file, std::ios::app) << what << ' ' << own_name() << '\n';
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);)
        parts.push_back(part);
    return parts;
}

[[noreturn]] void hang() {
    for (;;)
        pause();
}

class FakeDevice final : public backend::Device {
public:
    explicit FakeDevice(bool hangs) : hangs_(hangs) {}
    backend::Examination examine() override { return hangs_ ? hang() : void(), backend::Examination(); }
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::opencl_c; }
    std::shared_ptr<backend::Memory> allocate(std::size_t) override {
        throw Error(ErrorCode::out_of_memory, {}, "the fake device has no memory", "Use a real one.");
    }
    std::unique_ptr<backend::Queue> create_queue() override {
        throw Error(ErrorCode::unsupported, {}, "the fake device has no queues", "Use a real one.");
    }
    std::shared_ptr<backend::Program> build(const backend::ProgramSource&) override {
        throw Error(ErrorCode::unsupported, {}, "the fake device has no compiler", "Use a real one.");
    }

private:
    bool hangs_;
    Capabilities capabilities_;
};

class FakeBackend final : public backend::Backend {
public:
    std::string_view name() const override { return "fake"; }

    backend::Enumeration enumerate() override {
        log("enumerate");
        if (!variable("_HANGS").empty())
            hang();
        if (const std::string text = variable("_THROW"); !text.empty())
            throw std::runtime_error(text);
        backend::Enumeration result;
        for (const std::string& entry : split(variable(""), ';')) {
            auto fields = split(entry, '|');
            fields.resize(4);
            DeviceInfo info;
            info.name = fields[0];
            info.vendor = fields[1];
            info.type = fields[2] == "gpu"           ? DeviceType::gpu
                        : fields[2] == "accelerator" ? DeviceType::accelerator
                                                     : DeviceType::cpu;
            info.pci = fields[3];
            info.memory_bytes = std::uint64_t{1} << 30;
            info.compute_units = 4;
            info.dtypes = {DType::f32, DType::f16};
            devices_.push_back(info);
        }
        result.devices = devices_;
        if (const auto missing = split(variable("_MISSING"), '|'); missing.size() == 2)
            result.unavailable.push_back({"", missing[0], missing[1], "Do something about it.", {}});
        return result;
    }

    std::shared_ptr<backend::Device> open(std::size_t index) override {
        log("open");
        if (devices_.at(index).name.back() == '!')
            throw Error(ErrorCode::device_lost, {}, "it does not wake up", "Wake it.", "fakeOpen", 7);
        return std::make_shared<FakeDevice>(devices_.at(index).name.back() == '?');
    }

private:
    std::vector<DeviceInfo> devices_;
};

} // namespace

extern "C" DEVQ_API const devq::backend::Module* devq_backend_module();
extern "C" const devq::backend::Module* devq_backend_module() {
    static devq::backend::Module module;
    module.create = []() -> std::unique_ptr<devq::backend::Backend> { return std::make_unique<FakeBackend>(); };
    return &module;
}
