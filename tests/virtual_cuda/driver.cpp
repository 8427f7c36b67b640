// The entry points of the stand-in for libcuda.so.1: devices, contexts, memory, copies. Signatures are those of
// backends/cuda/abi.hpp, which a test compares with a toolkit's header.
#include "entry.hpp"
#include <cstring>

using namespace virtual_cuda;

DEVQ_VIRTUAL(cuInit, driver, unsigned) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (call.world().devices.empty() || (visible != nullptr && (*visible == '\0' || *visible == '-')))
        return abi::no_device;
    call.world().initialized = true;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDriverGetVersion, nothing, int* version) {
    *version = call.world().version;
    return abi::success;
}
DEVQ_VIRTUAL_END

// NVRTC asks for it where a driver is loaded, and does without when it is told that there is none.
DEVQ_VIRTUAL(cuGetExportTable, nothing, const void** table, const void*) {
    *table = nullptr;
    return abi::not_found;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuGetErrorName, nothing, int error, const char** name) {
    switch (error) {
    case 0:
        *name = "CUDA_SUCCESS";
        break;
    case 2:
        *name = "CUDA_ERROR_OUT_OF_MEMORY";
        break;
    case 700:
        *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
        break;
    case 719:
        *name = "CUDA_ERROR_LAUNCH_FAILED";
        break;
    case 801:
        *name = "CUDA_ERROR_NOT_SUPPORTED";
        break;
    default:
        *name = nullptr;
        return abi::invalid_value;
    }
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDeviceGetCount, driver, int* count) {
    *count = static_cast<int>(call.world().devices.size());
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDeviceGet, driver, int* device, int number) {
    if (number < 0 || static_cast<std::size_t>(number) >= call.world().devices.size())
        return abi::invalid_device;
    *device = number;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDeviceGetName, driver, char* name, int size, int number) {
    std::snprintf(name, static_cast<std::size_t>(size), "%s",
                  call.world().devices.at(std::size_t(number))->name.c_str());
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDeviceGetUuid_v2, driver, abi::Uuid* uuid, int number) {
    *uuid = call.world().devices.at(std::size_t(number))->uuid();
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDeviceTotalMem_v2, driver, std::size_t* bytes, int number) {
    *bytes = call.world().devices.at(std::size_t(number))->memory.total();
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDeviceGetAttribute, driver, int* value, int attribute, int number) {
    const Device& device = *call.world().devices.at(std::size_t(number));
    switch (attribute) {
    case abi::attribute_max_threads:
    case abi::attribute_max_block_x:
    case abi::attribute_max_block_y:
        *value = 1024;
        break;
    case abi::attribute_max_block_z:
        *value = 64;
        break;
    case abi::attribute_max_grid_x:
        *value = 2147483647;
        break;
    case abi::attribute_max_grid_y:
    case abi::attribute_max_grid_z:
        *value = 65535;
        break;
    case abi::attribute_shared_memory:
        *value = 48 << 10;
        break;
    case abi::attribute_shared_memory_optin:
        *value = static_cast<int>(device.shared_limit());
        break;
    case abi::attribute_compute_units:
        *value = 2;
        break;
    case abi::attribute_pci_bus:
        *value = static_cast<int>(device.pci_bus);
        break;
    case abi::attribute_pci_device:
        *value = static_cast<int>(device.pci_slot);
        break;
    case abi::attribute_pci_domain:
        *value = static_cast<int>(device.pci_domain);
        break;
    case abi::attribute_major:
        *value = device.capability / 10;
        break;
    case abi::attribute_minor:
        *value = device.capability % 10;
        break;
    default:
        return abi::invalid_value;
    }
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDevicePrimaryCtxRetain, driver, abi::Context* context, int number) {
    Device& device = *call.world().devices.at(std::size_t(number));
    ++device.retained;
    *context = reinterpret_cast<abi::Context>(&device);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDevicePrimaryCtxRelease_v2, driver, int number) {
    Device& device = *call.world().devices.at(std::size_t(number));
    if (device.retained == 0)
        return 201;
    --device.retained;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuCtxSetCurrent, driver, abi::Context context) {
    current() = reinterpret_cast<Device*>(context);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemGetInfo_v2, context, std::size_t* free, std::size_t* total) {
    *total = call.device().memory.total();
    *free = *total - call.device().memory.used();
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemAlloc_v2, context, abi::DevicePointer* address, std::size_t bytes) {
    if (bytes == 0)
        return abi::invalid_value;
    *address = call.device().memory.allocate(bytes);
    return *address != 0 ? abi::success : abi::out_of_memory;
}
DEVQ_VIRTUAL_END

// Does not wait for what uses the block: that is the caller's business here, though drivers mostly do.
DEVQ_VIRTUAL(cuMemFree_v2, context, abi::DevicePointer address) {
    return call.device().memory.free(address) ? abi::success : abi::invalid_value;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemHostAlloc, context, void** block, std::size_t bytes, unsigned) {
    *block = ::operator new(bytes);
    call.world().host_blocks[*block] = bytes;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemFreeHost, context, void* block) {
    if (call.world().host_blocks.erase(block) == 0)
        return abi::invalid_value;
    ::operator delete(block);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemcpyHtoDAsync_v2, context, abi::DevicePointer to, const void* from, std::size_t bytes,
             abi::Stream handle) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    if (call.device().memory.find(to, bytes) == nullptr)
        return abi::invalid_value;
    std::shared_ptr<std::byte[]> copy; // ordinary memory is read at once
    if (!call.world().is_device_readable(from)) {
        copy = std::shared_ptr<std::byte[]>(new std::byte[bytes]);
        std::memcpy(copy.get(), from, bytes);
    }
    Device* device = &call.device();
    stream->add([=] {
        std::byte* place = device->memory.find_written(to, bytes);
        if (place == nullptr)
            return abi::illegal_address;
        std::memcpy(place, copy ? copy.get() : from, bytes);
        return abi::success;
    });
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemcpyDtoHAsync_v2, context, void* to, abi::DevicePointer from, std::size_t bytes, abi::Stream handle) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    if (call.device().memory.find(from, bytes) == nullptr)
        return abi::invalid_value;
    Device* device = &call.device();
    stream->add([=] {
        const std::byte* place = device->memory.find(from, bytes);
        if (place == nullptr)
            return abi::illegal_address;
        if (device->broken == abi::success)
            std::memcpy(to, place, bytes);
        return abi::success;
    });
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemcpyDtoDAsync_v2, context, abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes,
             abi::Stream handle) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    if (call.device().memory.find(from, bytes) == nullptr || call.device().memory.find(to, bytes) == nullptr)
        return abi::invalid_value;
    if (from < to + bytes && to < from + bytes)
        return abi::invalid_value; // undefined on a real device
    Device* device = &call.device();
    stream->add([=] {
        const std::byte* source = device->memory.find(from, bytes);
        std::byte* place = device->memory.find_written(to, bytes, &device->memory, from);
        if (place == nullptr || source == nullptr)
            return abi::illegal_address;
        std::memcpy(place, source, bytes);
        return abi::success;
    });
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuDeviceCanAccessPeer, driver, int* can, int device, int peer) {
    const auto& devices = call.world().devices;
    *can = device != peer && devices.at(std::size_t(device))->capability == devices.at(std::size_t(peer))->capability;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuCtxEnablePeerAccess, context, abi::Context peer, unsigned flags) {
    const auto* other = reinterpret_cast<Device*>(peer);
    if (flags != 0 || other == &call.device())
        return abi::invalid_value;
    if (other->capability != call.device().capability)
        return 217; // these two cannot
    return call.device().peers.insert(other->number).second ? abi::success : abi::peer_access_already_enabled;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemcpyPeerAsync, context, abi::DevicePointer to, abi::Context to_context, abi::DevicePointer from,
             abi::Context from_context, std::size_t bytes, abi::Stream handle) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    auto* const there = reinterpret_cast<Device*>(to_context);
    auto* const here = reinterpret_cast<Device*>(from_context);
    if (here->retained == 0 || there->retained == 0)
        return 201;
    if (here->memory.find(from, bytes) == nullptr || there->memory.find(to, bytes) == nullptr)
        return abi::invalid_value;
    stream->add([=] {
        const std::byte* source = here->memory.find(from, bytes);
        std::byte* place = there->memory.find_written(to, bytes, &here->memory, from);
        if (place == nullptr || source == nullptr)
            return abi::illegal_address;
        std::memcpy(place, source, bytes);
        return abi::success;
    });
    return abi::success;
}
DEVQ_VIRTUAL_END

template <class T>
static abi::Result set(Device& device, abi::DevicePointer to, T value, std::size_t count, abi::Stream handle) {
    const auto stream = find_stream(device, handle);
    if (!stream)
        return abi::invalid_handle;
    if (to % sizeof(T) != 0 || device.memory.find(to, count * sizeof(T)) == nullptr)
        return abi::invalid_value;
    stream->add([=, &device] {
        std::byte* place = device.memory.find_written(to, count * sizeof(T));
        if (place == nullptr)
            return abi::illegal_address;
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(place + i * sizeof(T), &value, sizeof value);
        return abi::success;
    });
    return abi::success;
}

DEVQ_VIRTUAL(cuMemsetD8Async, context, abi::DevicePointer to, unsigned char value, std::size_t count,
             abi::Stream stream) {
    return set(call.device(), to, value, count, stream);
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemsetD16Async, context, abi::DevicePointer to, unsigned short value, std::size_t count,
             abi::Stream stream) {
    return set(call.device(), to, value, count, stream);
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuMemsetD32Async, context, abi::DevicePointer to, unsigned value, std::size_t count, abi::Stream stream) {
    return set(call.device(), to, value, count, stream);
}
DEVQ_VIRTUAL_END
