#include "nvml.hpp"
#include "library.hpp"
#include <algorithm>
#include <cstdio>

namespace devq::cuda {

namespace {

constexpr LibraryWords words{"NVIDIA's driver",
                             "It comes with NVIDIA's driver (Debian: libnvidia-ml1); a container needs the capability "
                             "\"utility\" (NVIDIA_DRIVER_CAPABILITIES=compute,utility)."};

/// Asks one thing after another of one device, and keeps why there is no answer.
class Questions {
public:
    Questions(const Nvml& library, abi::NvmlDevice device, backend::Readings& into)
        : library_(library), device_(device), into_(into) {}

    /// True where `function` answers; else `names` are absent. `device`, then `arguments` are its parameters.
    template <class Function, class... Arguments>
    bool ask(std::initializer_list<const char*> names, const char* symbol, Function* function, Arguments... arguments) {
        if (function == nullptr)
            return lack(names, std::string("this NVML has no ") + symbol);
        const abi::NvmlResult result = function(device_, arguments...);
        return result == abi::nvml_success || lack(names, why(symbol, result));
    }

    bool lack(std::initializer_list<const char*> names, const std::string& reason) {
        for (const char* name : names)
            into_.absent.emplace_back(name, reason);
        return false;
    }

    std::string why(const char* symbol, abi::NvmlResult result) const {
        const char* text = library_.error_string(result);
        return std::string(symbol) + ": " + (text != nullptr ? text : "error " + std::to_string(result));
    }

    /// Adds the processes of one kind; why it cannot, else nothing.
    template <class Function>
    std::string add_processes(const char* symbol, Function* function, std::vector<backend::ProcessReading>& found) {
        if (function == nullptr)
            return std::string("this NVML has no ") + symbol;
        unsigned count = 64;
        std::vector<abi::NvmlProcess> list;
        abi::NvmlResult result = abi::nvml_insufficient_size;
        // There may be more of them at the second call than the first one has counted.
        for (int attempt = 0; attempt < 4 && result == abi::nvml_insufficient_size; ++attempt) {
            list.resize(count + std::size_t{16});
            count = static_cast<unsigned>(list.size());
            result = function(device_, &count, list.data());
        }
        if (result != abi::nvml_success)
            return why(symbol, result);
        list.resize(std::min<std::size_t>(count, list.size()));
        for (const abi::NvmlProcess& one : list)
            if (std::none_of(found.begin(), found.end(), [&](const auto& known) { return known.id == one.pid; }))
                found.push_back({one.pid, one.used_memory == abi::nvml_not_available
                                              ? std::nullopt
                                              : std::optional<std::uint64_t>(one.used_memory)});
        return {};
    }

private:
    const Nvml& library_;
    abi::NvmlDevice device_;
    backend::Readings& into_;
};

/// What a part of a GPU does not share with the other parts.
void read_share(const Nvml& library, Questions& device, backend::Readings& into) {
    abi::NvmlMemory memory{};
    if (device.ask({"memory_total_bytes", "memory_used_bytes", "memory_free_bytes"}, "nvmlDeviceGetMemoryInfo",
                   library.memory, &memory)) {
        into.memory_total_bytes = memory.total;
        into.memory_used_bytes = memory.used;
        into.memory_free_bytes = memory.free;
    }
    abi::NvmlUtilization load{};
    if (device.ask({"load_percent", "memory_load_percent"}, "nvmlDeviceGetUtilizationRates", library.utilization,
                   &load)) {
        into.load_percent = load.gpu;
        into.memory_load_percent = load.memory;
    }
    std::vector<backend::ProcessReading> found;
    if (const std::string why =
            device.add_processes("nvmlDeviceGetComputeRunningProcesses", library.compute_processes, found);
        why.empty()) {
        // Those that only draw count too; many a device has no such.
        device.add_processes("nvmlDeviceGetGraphicsRunningProcesses", library.graphics_processes, found);
        into.processes = std::move(found);
    } else {
        device.lack({"processes"}, why);
    }
}

/// What belongs to the chip.
void read_chip(const Nvml& library, Questions& device, backend::Readings& into) {
    unsigned value = 0;
    if (device.ask({"temperature_celsius"}, "nvmlDeviceGetTemperature", library.temperature, abi::nvml_temperature_gpu,
                   &value))
        into.temperature_celsius = value;
    if (device.ask({"power_watts"}, "nvmlDeviceGetPowerUsage", library.power, &value))
        into.power_watts = value / 1000.0; // milliwatts
    if (device.ask({"power_limit_watts"}, "nvmlDeviceGetEnforcedPowerLimit", library.power_limit, &value))
        into.power_limit_watts = value / 1000.0;
    if (device.ask({"clock_mhz"}, "nvmlDeviceGetClockInfo", library.clock, abi::nvml_clock_sm, &value))
        into.clock_mhz = value;
    if (device.ask({"max_clock_mhz"}, "nvmlDeviceGetMaxClockInfo", library.max_clock, abi::nvml_clock_sm, &value))
        into.max_clock_mhz = value;
    if (device.ask({"memory_clock_mhz"}, "nvmlDeviceGetClockInfo", library.clock, abi::nvml_clock_memory, &value))
        into.memory_clock_mhz = value;
    if (device.ask({"max_memory_clock_mhz"}, "nvmlDeviceGetMaxClockInfo", library.max_clock, abi::nvml_clock_memory,
                   &value))
        into.max_memory_clock_mhz = value;
}

} // namespace

std::optional<Unavailable> load(Nvml& library) {
    std::optional<Unavailable> why;
    const std::optional<Library> opened = open_library({"libnvidia-ml.so.1"}, words, why);
    if (!opened)
        return why;
    SymbolFinder needed(*opened), others(*opened);
#define DEVQ_NVML_FIND(name, symbol, older, ...)                                                                       \
    library.name = reinterpret_cast<decltype(library.name)>(FINDER.find(#symbol, #older));
#define FINDER needed
    DEVQ_NVML_NEEDED_SYMBOLS(DEVQ_NVML_FIND)
#undef FINDER
#define FINDER others
    DEVQ_NVML_READING_SYMBOLS(DEVQ_NVML_FIND)
#undef FINDER
#undef DEVQ_NVML_FIND
    if (auto missing = needed.missing("The driver is too old or not NVIDIA's: install a current one."))
        return missing;
    if (const abi::NvmlResult result = library.init(); result != abi::nvml_success) {
        const char* text = library.error_string(result);
        return fault(result == abi::nvml_version_mismatch ? "driver_too_old" : "driver_broken",
                     opened->name + ": nvmlInit returned " + std::to_string(result) + ": " +
                         (text != nullptr ? text : "no words for it"),
                     result == abi::nvml_version_mismatch
                         ? "The driver was updated while it ran: restart the machine."
                         : "See whether `nvidia-smi`, which asks the same library, works.");
    }
    char version[abi::nvml_version_length] = {};
    const bool told = library.driver_version(version, sizeof version - 1) == abi::nvml_success;
    library.version = std::string("of driver ") + (told ? version : "unknown") + " (" +
                      file_of(reinterpret_cast<const void*>(library.init)) + ')';
    return std::nullopt;
}

std::string uuid_text(const abi::Uuid& uuid, const char* prefix) {
    std::string text = prefix;
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
        text += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
    }
    return text;
}

backend::Readings read(const Nvml& library, const abi::Uuid* uuid, const std::string& pci) {
    backend::Readings found;
    found.source = "nvml";
    found.version = library.version;
    abi::NvmlDevice device = nullptr;
    bool part = false; // of a GPU that is divided (MIG): the driver has given the part's UUID
    abi::NvmlResult result = abi::nvml_not_found;
    for (const char* prefix : {"GPU-", "MIG-"}) {
        if (uuid == nullptr || result == abi::nvml_success)
            break;
        part = prefix[0] == 'M';
        found.uuid = uuid_text(*uuid, prefix);
        result = library.by_uuid(found.uuid.c_str(), &device);
    }
    if (result != abi::nvml_success && !pci.empty()) {
        part = false;
        found.uuid = uuid != nullptr ? uuid_text(*uuid) : "";
        result = library.by_pci(pci.c_str(), &device);
    }
    Questions questions(library, device, found);
    if (result != abi::nvml_success) {
        found.version = "NVML does not know the device " + (found.uuid.empty() ? pci : found.uuid + ", " + pci) + ": " +
                        questions.why("nvmlDeviceGetHandle", result);
        return found;
    }
    unsigned divided = 0, pending = 0;
    if (!part && library.mig_mode != nullptr && library.mig_mode(device, &divided, &pending) == abi::nvml_success &&
        divided == abi::nvml_mig_enabled)
        questions.lack({"memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "load_percent",
                        "memory_load_percent", "processes"},
                       "the GPU is divided (MIG), and NVML tells them of the whole only");
    else
        read_share(library, questions, found);
    read_chip(library, questions, found);
    return found;
}

} // namespace devq::cuda
