#include "backend.hpp"
#include "device.hpp"
#include "isa.hpp"
#include "memory.hpp"
#include <devq/api.hpp>
#include <fstream>
#include <string>

namespace devq::cpu {

namespace {

struct Processor {
    std::string name, vendor;
};

/// The value of "key : value" in a line.
std::string value_of(const std::string& line) {
    const auto colon = line.find(':');
    const auto start = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
}

Processor processor() {
    Processor found;
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line) && (found.name.empty() || found.vendor.empty());) {
        if (line.rfind("model name", 0) == 0 || line.rfind("CPU part", 0) == 0)
            found.name = value_of(line);
        else if (line.rfind("vendor_id", 0) == 0 || line.rfind("CPU implementer", 0) == 0)
            found.vendor = value_of(line);
    }
    if (found.vendor == "GenuineIntel")
        found.vendor = "Intel";
    else if (found.vendor == "AuthenticAMD")
        found.vendor = "AMD";
    if (found.name.empty())
        found.name = isa_name(2) + " processor";
    return found;
}

class CpuBackend final : public backend::Backend {
public:
    std::string_view name() const override { return "cpu"; }

    backend::Enumeration enumerate() override {
        backend::Enumeration result;
        const IsaChoice choice = current_isa();
        if (!choice.code.empty()) {
            result.unavailable.push_back({"cpu", choice.code, choice.problem, choice.remedy, ""});
            return result;
        }
        const Processor found = processor();
        DeviceInfo info;
        info.id = "cpu:0";
        info.backend = "cpu";
        info.name = found.name;
        info.vendor = found.vendor;
        info.type = DeviceType::cpu;
        info.memory_bytes = machine_memory_bytes();
        info.compute_units = usable_processors();
        info.platform = isa_name(choice.isa.level);
        info.dtypes = {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i8,  DType::u8,
                       DType::i16, DType::u16, DType::i32,  DType::u32, DType::i64, DType::u64};
        result.devices.push_back(std::move(info));
        return result;
    }

    std::shared_ptr<backend::Device> open(std::size_t) override {
        const IsaChoice choice = current_isa();
        if (!choice.code.empty())
            throw Error(ErrorCode::unavailable, "", choice.problem, choice.remedy);
        return std::make_shared<Device>(choice.isa);
    }
};

} // namespace

} // namespace devq::cpu

extern "C" DEVQ_API const devq::backend::Module* devq_backend_module() {
    static const devq::backend::Module module{
        .create = [] { return std::unique_ptr<devq::backend::Backend>(std::make_unique<devq::cpu::CpuBackend>()); }};
    return &module;
}
