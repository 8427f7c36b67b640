#include "backend.hpp"
#include "device.hpp"
#include "driver.hpp"
#include "nvml.hpp"
#include "nvrtc.hpp"
#include "vendor.hpp"
#include <algorithm>
#include <cstdio>
#include <devq/error.hpp>
#include <mutex>

namespace devq::cuda {

namespace {

/// What is known of a device before any context is made.
struct Found {
    abi::DeviceNumber number = 0;
    std::string name, pci;
    std::uint64_t memory = 0;
    int units = 0, major = 0, minor = 0;

    int capability() const { return major * 10 + minor; }
    std::string capability_text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

class Backend final : public backend::Backend {
public:
    std::string_view name() const override { return "cuda"; }

    backend::Enumeration enumerate() override {
        const std::lock_guard lock(mutex_);
        backend::Enumeration result;
        devices_.clear();
        if (!driver_) {
            auto driver = std::make_shared<Driver>();
            if (auto why = load(*driver)) {
                result.unavailable.push_back(std::move(*why));
                return result;
            }
            driver_ = std::move(driver);
        }
        int count = 0;
        if (driver_->driver_version(&version_) != abi::success) // answers before cuInit; where not, it is left out
            version_ = 0;
        const auto failed = [&](const char* call, abi::Result status) {
            if (status != abi::success)
                result.unavailable.push_back(explain(call, status, version_));
            return status != abi::success;
        };
        if (failed("cuInit", driver_->init(0)) || failed("cuDeviceGetCount", driver_->device_count(&count)))
            return result;
        watch_process_end();
        if (count <= 0)
            result.unavailable.push_back(explain("cuDeviceGetCount", abi::no_device, version_));
        for (int number = 0; number < count; ++number) {
            abi::DeviceNumber device = 0;
            if (!failed("cuDeviceGet", driver_->device_get(&device, number)))
                add(look_at(*driver_, device), result);
        }
        return result;
    }

    std::shared_ptr<backend::Device> open(std::size_t index) override {
        const std::lock_guard lock(mutex_);
        const Found& found = devices_.at(index);
        if (!libraries_)
            libraries_ = std::make_shared<Libraries>(version_);
        return std::make_shared<Device>(driver_, compiler_, libraries_, found.number, found.capability(),
                                        found.name + ", " + found.capability_text() + ", driver " +
                                            std::to_string(version_));
    }

    backend::Readings readings(std::size_t index) override {
        const std::lock_guard lock(mutex_);
        const Found& found = devices_.at(index);
        if (!nvml_tried_) {
            nvml_tried_ = true;
            auto library = std::make_unique<Nvml>();
            if (const auto why = load(*library))
                why_no_nvml_ = "NVML is not used: " + why->reason + ". " + why->remedy;
            else
                nvml_ = std::move(library);
        }
        abi::Uuid uuid{};
        const bool told = driver_->device_uuid(&uuid, found.number) == abi::success;
        if (nvml_)
            return read(*nvml_, told ? &uuid : nullptr, found.pci);
        backend::Readings none;
        none.source = "nvml";
        none.version = why_no_nvml_;
        none.uuid = told ? uuid_text(uuid) : "";
        return none;
    }

private:
    static Found look_at(const Driver& driver, abi::DeviceNumber device) {
        Found found;
        found.number = device;
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

    /// Without the compiler of kernels a device is none: nothing but copies would work.
    std::optional<Unavailable> unusable(const Found& found) {
        if (!compiler_) {
            auto compiler = std::make_shared<Nvrtc>();
            if (auto why = load(*compiler, version_))
                return why;
            compiler_ = std::move(compiler);
        }
        return obstacle(*compiler_, found.capability(), version_);
    }

    void add(Found found, backend::Enumeration& result) {
        if (auto why = unusable(found)) {
            why->reason = found.name + ": " + why->reason;
            why->pci = found.pci;
            result.unavailable.push_back(std::move(*why));
            return;
        }
        DeviceInfo info;
        info.id = "cuda:" + std::to_string(devices_.size());
        info.backend = "cuda";
        info.name = found.name;
        info.vendor = "NVIDIA";
        info.type = DeviceType::gpu;
        info.memory_bytes = found.memory;
        info.compute_units = static_cast<unsigned>(std::max(found.units, 0));
        info.pci = found.pci;
        info.platform = "compute capability " + found.capability_text();
        if (version_ > 0)
            info.platform += ", driver for CUDA " + version_text(version_);
        info.dtypes = {DType::f32, DType::f16, DType::bf16, DType::f64};
        result.devices.push_back(std::move(info));
        devices_.push_back(std::move(found));
    }

    std::mutex mutex_;
    std::shared_ptr<const Driver> driver_;
    std::shared_ptr<const Nvrtc> compiler_;
    std::shared_ptr<Libraries> libraries_;
    std::unique_ptr<const Nvml> nvml_;
    std::string why_no_nvml_;
    bool nvml_tried_ = false;
    int version_ = 0;
    std::vector<Found> devices_;
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
