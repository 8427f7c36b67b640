#include "backend.hpp"
#include "check.hpp"
#include "context.hpp"
#include "device.hpp"
#include "icd_probe.hpp"
#include "identity.hpp"
#include <algorithm>
#include <cstdlib>
#include <devq/api.hpp>
#include <mutex>

namespace devq::opencl {

namespace {

std::atomic<bool> ends{false};

constexpr const char* install_remedy =
    "Install an OpenCL driver: pocl-opencl-icd for CPUs; for a GPU the ICD package of its vendor "
    "(nvidia-opencl-icd, rocm-opencl-icd or mesa-opencl-icd, intel-opencl-icd).";
constexpr const char* broken_remedy =
    "Update or reinstall this OpenCL driver, or remove its file from /etc/OpenCL/vendors.";

Unavailable missing(std::string code, std::string reason, std::string remedy) {
    Unavailable entry;
    entry.backend = "opencl";
    entry.code = std::move(code);
    entry.reason = std::move(reason);
    entry.remedy = std::move(remedy);
    return entry;
}

std::string answer(const char* call, cl_int status) {
    return std::string(call) + " returned " + std::to_string(status) + " (" + status_name(status) + ')';
}

/// The variables by which the two ICD loaders let a user choose the drivers.
Unavailable no_platform(cl_int status) {
    for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"})
        if (const char* value = std::getenv(name))
            return missing("hidden_by_environment", answer("clGetPlatformIDs", status) + " with " + name + '=' + value,
                           std::string("Unset ") + name + " or let it name a folder of .icd files.");
    return missing("library_missing", answer("clGetPlatformIDs", status) + ": no OpenCL driver is installed",
                   install_remedy);
}

class Backend final : public backend::Backend {
public:
    std::string_view name() const override { return "opencl"; }

    backend::Enumeration enumerate() override {
        std::lock_guard lock(mutex_);
        backend::Enumeration found;
        devices_.clear();
        ProbeResult probed = probe_drivers(); // before the loader loads anything
        found.unavailable = std::move(probed.broken);
        cl_uint count = 0;
        cl_int status = clGetPlatformIDs(0, nullptr, &count);
        watch_process_end();
        std::vector<cl_platform_id> platforms(count);
        if (status == CL_SUCCESS && count > 0)
            status = clGetPlatformIDs(count, platforms.data(), nullptr);
        if (status != CL_SUCCESS || count == 0) {
            if (found.unavailable.empty())
                found.unavailable.push_back(no_platform(status));
            return found;
        }
        for (const cl_platform_id platform : platforms)
            add_platform(platform, found);
        return found;
    }

    std::shared_ptr<backend::Device> open(std::size_t index) override {
        std::lock_guard lock(mutex_);
        return std::make_shared<Device>(devices_.at(index));
    }

    std::shared_ptr<backend::Device> import_device(backend::NativeHandle device, backend::NativeHandle context,
                                                   std::size_t& index) override {
        std::lock_guard lock(mutex_);
        const auto found = std::find(devices_.begin(), devices_.end(), from_native<cl_device_id>(device));
        if (found == devices_.end())
            throw Error(ErrorCode::invalid_argument, {}, "devq does not list this cl_device_id",
                        "Pass a whole device (no sub-device) that `devq list` shows.");
        index = static_cast<std::size_t>(found - devices_.begin());
        return std::make_shared<Device>(*found, from_native<cl_context>(context));
    }

private:
    void add_platform(cl_platform_id platform, backend::Enumeration& found) {
        std::string name(256, '\0');
        if (const cl_int status =
                clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr)) {
            found.unavailable.push_back(missing("driver_broken", answer("clGetPlatformInfo", status), broken_remedy));
            return;
        }
        name.erase(std::min(name.find('\0'), name.size()));
        cl_uint count = 0;
        cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
        std::vector<cl_device_id> devices(count);
        if (status == CL_SUCCESS && count > 0)
            status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
        if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0)) {
            found.unavailable.push_back(missing(
                "no_device", "platform " + name + ": " + answer("clGetDeviceIDs", status),
                "If there is such a device: load its kernel driver, and see that you may open /dev/dri/renderD* "
                "(group render) or /dev/kfd."));
            return;
        }
        if (status != CL_SUCCESS) {
            found.unavailable.push_back(
                missing("driver_broken", "platform " + name + ": " + answer("clGetDeviceIDs", status), broken_remedy));
            return;
        }
        for (const cl_device_id device : devices)
            add_device(device, name, found);
    }

    void add_device(cl_device_id device, const std::string& platform, backend::Enumeration& found) {
        const std::string name = platform + ": " + text_of(device, CL_DEVICE_NAME);
        const std::string version = text_of(device, CL_DEVICE_VERSION);
        try {
            if (version_of(version) < 102)
                found.unavailable.push_back(missing("driver_too_old", name + " offers \"" + version + '"',
                                                    "devq needs OpenCL 1.2: update the driver."));
            else if (!info_of<cl_bool>(device, CL_DEVICE_AVAILABLE))
                found.unavailable.push_back(
                    missing("driver_broken", name + ": CL_DEVICE_AVAILABLE is false", broken_remedy));
            else if (!info_of<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE))
                found.unavailable.push_back(missing("unsupported_architecture", name + " cannot compile OpenCL C",
                                                    "devq needs a driver with a compiler: use another device."));
            else {
                DeviceInfo info = describe(device, platform);
                info.id = "opencl:" + std::to_string(devices_.size());
                found.devices.push_back(std::move(info));
                devices_.push_back(device);
            }
        } catch (const Error& error) {
            found.unavailable.push_back(missing("driver_broken", name + ": " + error.what(), broken_remedy));
        }
    }

    std::mutex mutex_;
    std::vector<cl_device_id> devices_; // plain: nothing of a driver is released when the process ends
};

} // namespace

bool process_ends() noexcept { return ends.load(std::memory_order_relaxed); }

void watch_process_end() {
    // Registered after the drivers were loaded: it runs before their own clean-up.
    static const int registered = std::atexit([] { ends.store(true, std::memory_order_relaxed); });
    static_cast<void>(registered);
}

} // namespace devq::opencl

extern "C" DEVQ_API const devq::backend::Module* devq_backend_module() {
    static const devq::backend::Module module = [] {
        devq::backend::Module m;
        m.create = []() -> std::unique_ptr<devq::backend::Backend> {
            return std::make_unique<devq::opencl::Backend>();
        };
        return m;
    }();
    return &module;
}
