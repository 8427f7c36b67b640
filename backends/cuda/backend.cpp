#include "backend.hpp"
#include "driver.hpp"
#include <cstdio>
#include <devq/error.hpp>

namespace devq::cuda {

namespace {

/// What is known of a device before any context is made.
struct Found {
    std::string name, pci;
    std::uint64_t memory = 0;
    int units = 0, major = 0, minor = 0;
};

class Backend final : public backend::Backend {
public:
    std::string_view name() const override { return "cuda"; }

    backend::Enumeration enumerate() override {
        backend::Enumeration result;
        Driver driver;
        if (auto fault = load(driver)) {
            result.unavailable.push_back(std::move(*fault));
            return result;
        }
        int version = 0, count = 0;
        if (driver.driver_version(&version) != abi::success) // answers before cuInit; where not, it is left out
            version = 0;
        const auto failed = [&](const char* call, abi::Result status) {
            if (status != abi::success)
                result.unavailable.push_back(explain(call, status, version));
            return status != abi::success;
        };
        if (failed("cuInit", driver.init(0)) || failed("cuDeviceGetCount", driver.device_count(&count)))
            return result;
        if (count <= 0)
            result.unavailable.push_back(explain("cuDeviceGetCount", abi::no_device, version));
        for (int number = 0; number < count; ++number) {
            abi::DeviceNumber device = 0;
            if (failed("cuDeviceGet", driver.device_get(&device, number)))
                continue;
            result.unavailable.push_back(entry(look_at(driver, device)));
        }
        return result;
    }

    std::shared_ptr<backend::Device> open(std::size_t) override {
        throw Error(ErrorCode::unsupported, {}, "this version of devq does not run kernels through CUDA",
                    "Use the GPU through OpenCL (`devq list opencl`), or the CPU.");
    }

private:
    static Found look_at(const Driver& driver, abi::DeviceNumber device) {
        Found found;
        const auto attribute = [&](int which) {
            int value = 0;
            return driver.device_attribute(&value, which, device) == abi::success ? value : -1;
        };
        char name[256] = {};
        std::size_t memory = 0;
        found.name = driver.device_name(name, sizeof(name) - 1, device) == abi::success ? name : "CUDA device";
        found.memory = driver.device_memory(&memory, device) == abi::success ? memory : 0;
        found.units = attribute(abi::attribute_compute_units);
        found.major = attribute(abi::attribute_major);
        found.minor = attribute(abi::attribute_minor);
        const int domain = attribute(abi::attribute_pci_domain), bus = attribute(abi::attribute_pci_bus),
                  slot = attribute(abi::attribute_pci_device);
        if (domain >= 0 && bus >= 0 && slot >= 0) {
            char address[32];
            std::snprintf(address, sizeof(address), "%04x:%02x:%02x.0", static_cast<unsigned>(domain),
                          static_cast<unsigned>(bus), static_cast<unsigned>(slot));
            found.pci = address;
        }
        return found;
    }

    /// The device works, but not yet through this backend: it is no device to select, and the list says why.
    static Unavailable entry(const Found& found) {
        char facts[128];
        std::snprintf(facts, sizeof(facts), " (compute capability %d.%d, %d multiprocessors, %.1f GiB)", found.major,
                      found.minor, found.units, static_cast<double>(found.memory) / (1024.0 * 1024.0 * 1024.0));
        return {"cuda", "unsupported_architecture",
                found.name + facts + ": found, but this version of devq does not yet run kernels through CUDA",
                "Use it through OpenCL: install NVIDIA's OpenCL driver (Debian: nvidia-opencl-icd).", found.pci};
    }
};

} // namespace

} // namespace devq::cuda

extern "C" DEVQ_API const devq::backend::Module* devq_backend_module();
extern "C" const devq::backend::Module* devq_backend_module() {
    static const devq::backend::Module module = [] {
        devq::backend::Module description;
        description.create = []() -> std::unique_ptr<devq::backend::Backend> {
            return std::make_unique<devq::cuda::Backend>();
        };
        return description;
    }();
    return &module;
}
