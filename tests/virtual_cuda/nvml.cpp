// The stand-in for libnvidia-ml.so.1: it knows the driver's devices by UUID and PCI address, and counts them in no
// order. Signatures are those of backends/cuda/abi_nvml.hpp, which a test compares with NVIDIA's header where there is
// one.
#include "abi_nvml.hpp"
#include "library.hpp"
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace virtual_cuda;

namespace {

bool started = false;

/// VIRTUAL_NVML: "whole" (the default), "part" (each device is a part of a divided GPU), "divided" (NVML knows only the
/// GPU that is divided).
std::string kind() {
    const char* value = std::getenv("VIRTUAL_NVML");
    return value != nullptr ? value : "whole";
}

abi::NvmlDevice handle_of(Device& device) { return reinterpret_cast<abi::NvmlDevice>(&device); }

/// Null for what is no handle.
Device* find(const LibraryCall& call, abi::NvmlDevice handle) {
    for (const auto& device : call.world().devices)
        if (handle_of(*device) == handle)
            return device.get();
    return nullptr;
}

std::string text_of(const abi::Uuid& uuid) {
    std::string text = kind() == "part" ? "MIG-" : "GPU-";
    for (int i = 0; i < 16; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
        text += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
    }
    return text;
}

/// What every reading comes to; `whole_only`: parts of a GPU have no such thing.
template <class Body>
abi::NvmlResult reading(const LibraryCall& call, abi::NvmlDevice handle, bool whole_only, Body&& body) {
    const Device* const device = find(call, handle);
    if (!started)
        return 1;
    if (device == nullptr)
        return abi::nvml_invalid_argument;
    return whole_only && kind() == "part" ? abi::nvml_not_supported : body(*device);
}

} // namespace

DEVQ_LIBRARY(nvmlInit_v2, ) {
    started = true;
    return abi::nvml_success;
}
DEVQ_LIBRARY_END

extern "C" DEVQ_API const char* nvmlErrorString(int);
extern "C" const char* nvmlErrorString(int result) {
    switch (result) {
    case abi::nvml_not_supported:
        return "Not Supported";
    case abi::nvml_not_found:
        return "Not Found";
    case abi::nvml_driver_not_loaded:
        return "Driver Not Loaded";
    case abi::nvml_version_mismatch:
        return "Driver/library version mismatch";
    default:
        return "Unknown Error";
    }
}

DEVQ_LIBRARY(nvmlSystemGetDriverVersion, char* text, unsigned length) {
    std::snprintf(text, length, "580.65.06");
    return started ? abi::nvml_success : 1;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetHandleByUUID, const char* uuid, abi::NvmlDevice* handle) {
    for (const auto& device : call.world().devices)
        if (kind() != "divided" && text_of(device->uuid()) == uuid) {
            *handle = handle_of(*device);
            return abi::nvml_success;
        }
    return abi::nvml_not_found;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetHandleByPciBusId_v2, const char* address, abi::NvmlDevice* handle) {
    unsigned domain = 0, bus = 0, slot = 0;
    if (std::sscanf(address, "%x:%x:%x.0", &domain, &bus, &slot) != 3)
        return abi::nvml_invalid_argument;
    for (const auto& device : call.world().devices)
        if (device->pci_domain == domain && device->pci_bus == bus && device->pci_slot == slot) {
            *handle = handle_of(*device);
            return abi::nvml_success;
        }
    return abi::nvml_not_found;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetMigMode, abi::NvmlDevice handle, unsigned* now, unsigned* later) {
    return reading(call, handle, true, [&](const Device&) {
        *now = *later = kind() == "divided" ? 1 : 0;
        return abi::nvml_success;
    });
}
DEVQ_LIBRARY_END

// Half a MiB of each device is the driver's own.
DEVQ_LIBRARY(nvmlDeviceGetMemoryInfo, abi::NvmlDevice handle, abi::NvmlMemory* memory) {
    return reading(call, handle, false, [&](const Device& device) {
        memory->total = device.memory.total();
        memory->used = device.memory.used() + (512u << 10);
        memory->free = memory->total - memory->used;
        return abi::nvml_success;
    });
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetUtilizationRates, abi::NvmlDevice handle, abi::NvmlUtilization* load) {
    return reading(call, handle, true, [&](const Device& device) {
        load->gpu = 30 + static_cast<unsigned>(device.number);
        load->memory = 10 + static_cast<unsigned>(device.number);
        return abi::nvml_success;
    });
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetTemperature, abi::NvmlDevice handle, int sensor, unsigned* celsius) {
    return reading(call, handle, true, [&](const Device& device) {
        *celsius = 40 + static_cast<unsigned>(device.number);
        return sensor == abi::nvml_temperature_gpu ? abi::nvml_success : abi::nvml_invalid_argument;
    });
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetPowerUsage, abi::NvmlDevice handle, unsigned* milliwatts) {
    return reading(call, handle, true, [&](const Device& device) {
        *milliwatts = 61500 + 1000 * static_cast<unsigned>(device.number);
        return abi::nvml_success;
    });
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetEnforcedPowerLimit, abi::NvmlDevice handle, unsigned* milliwatts) {
    return reading(call, handle, true, [&](const Device&) {
        *milliwatts = 350000;
        return abi::nvml_success;
    });
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetClockInfo, abi::NvmlDevice handle, int clock, unsigned* mhz) {
    return reading(call, handle, true, [&](const Device&) {
        *mhz = clock == abi::nvml_clock_sm ? 1410 : clock == abi::nvml_clock_memory ? 1593 : 0;
        return *mhz != 0 ? abi::nvml_success : abi::nvml_invalid_argument;
    });
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(nvmlDeviceGetMaxClockInfo, abi::NvmlDevice handle, int clock, unsigned* mhz) {
    return reading(call, handle, true, [&](const Device&) {
        *mhz = clock == abi::nvml_clock_sm ? 1980 : clock == abi::nvml_clock_memory ? 2619 : 0;
        return *mhz != 0 ? abi::nvml_success : abi::nvml_invalid_argument;
    });
}
DEVQ_LIBRARY_END

// This process, one whose memory is not told, and as many more as VIRTUAL_NVML_PROCESSES says.
DEVQ_LIBRARY(nvmlDeviceGetComputeRunningProcesses_v3, abi::NvmlDevice handle, unsigned* count, abi::NvmlProcess* list) {
    return reading(call, handle, false, [&](const Device& device) {
        const char* more = std::getenv("VIRTUAL_NVML_PROCESSES");
        const unsigned all = 2 + (more != nullptr ? static_cast<unsigned>(std::atoi(more)) : 0), room = *count;
        *count = all;
        if (room < all)
            return abi::nvml_insufficient_size;
        list[0] = {static_cast<unsigned>(getpid()), device.memory.used(), ~0u, ~0u};
        list[1] = {4000001, abi::nvml_not_available, ~0u, ~0u};
        for (unsigned i = 2; i < all; ++i)
            list[i] = {4000000 + i, i * 1024ull, ~0u, ~0u};
        return abi::nvml_success;
    });
}
DEVQ_LIBRARY_END

// One that also computes, and one that only draws.
DEVQ_LIBRARY(nvmlDeviceGetGraphicsRunningProcesses_v3, abi::NvmlDevice handle, unsigned* count,
             abi::NvmlProcess* list) {
    return reading(call, handle, true, [&](const Device&) {
        const unsigned room = *count;
        *count = 2;
        if (room < 2)
            return abi::nvml_insufficient_size;
        list[0] = {4000001, abi::nvml_not_available, ~0u, ~0u};
        list[1] = {5000000, 4096, ~0u, ~0u};
        return abi::nvml_success;
    });
}
DEVQ_LIBRARY_END
