// The entry points of the stand-in for libcuda.so.1: streams, events, modules, launches.
#include "check_sticky.hpp"
#include "entry.hpp"
#include "ptx_run.hpp"
#include <algorithm>
#include <cstring>

using namespace virtual_cuda;

DEVQ_VIRTUAL(cuStreamCreate, context, abi::Stream* handle, unsigned flags) {
    if (flags > 1)
        return abi::invalid_value;
    auto stream = std::make_shared<StreamState>();
    stream->device = &call.device();
    *handle = reinterpret_cast<abi::Stream>(stream.get());
    call.device().streams.emplace(stream.get(), stream);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuStreamDestroy_v2, context, abi::Stream handle) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    drain(*stream);
    call.device().streams.erase(stream.get());
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuStreamSynchronize, context, abi::Stream handle) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    if (stream->spoils_capture())
        return abi::capture_unsupported;
    drain(*stream);
    return call.device().broken;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuStreamWaitEvent, context, abi::Stream handle, abi::Event event_handle, unsigned flags) {
    const auto stream = find_stream(call.device(), handle);
    const auto event = find_event(call.device(), event_handle);
    if (!stream || !event)
        return abi::invalid_handle;
    if (flags != 0)
        return abi::invalid_value;
    if (stream->spoils_capture())
        return abi::capture_unsupported;
    wait_for(*stream, event);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuEventCreate, context, abi::Event* handle, unsigned flags) {
    auto event = std::make_shared<EventState>();
    event->device = &call.device();
    event->timed = (flags & abi::event_disable_timing) == 0;
    *handle = reinterpret_cast<abi::Event>(event.get());
    call.device().events.emplace(event.get(), event);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuEventDestroy_v2, context, abi::Event handle) {
    const auto event = find_event(call.device(), handle);
    if (!event)
        return abi::invalid_handle;
    call.device().events.erase(event.get());
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuEventRecord, context, abi::Event handle, abi::Stream stream_handle) {
    const auto event = find_event(call.device(), handle);
    const auto stream = find_stream(call.device(), stream_handle);
    if (!event || !stream)
        return abi::invalid_handle;
    if (stream->spoils_capture()) // devq's captures have one stream each
        return abi::capture_unsupported;
    record(event, stream);
    return abi::success;
}
DEVQ_VIRTUAL_END

// Who polls makes one command run, and is told the state before it.
DEVQ_VIRTUAL(cuEventQuery, context, abi::Event handle) {
    const auto event = find_event(call.device(), handle);
    if (!event)
        return abi::invalid_handle;
    if (event->done())
        return abi::success;
    if (const auto stream = event->stream.lock())
        advance(*stream);
    return call.device().broken != abi::success ? call.device().broken : abi::not_ready;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuEventSynchronize, context, abi::Event handle) {
    const auto event = find_event(call.device(), handle);
    if (!event)
        return abi::invalid_handle;
    reach(*event, event->recorded);
    return call.device().broken;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuEventElapsedTime_v2, context, float* milliseconds, abi::Event from, abi::Event to) {
    const auto start = find_event(call.device(), from), end = find_event(call.device(), to);
    if (!start || !end || !start->timed || !end->timed || start->recorded == 0 || end->recorded == 0)
        return abi::invalid_handle;
    if (!start->done() || !end->done())
        return abi::not_ready;
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuModuleLoadDataEx, context, abi::Module* handle, const void* image, unsigned count, int* options,
             void** values) {
    auto module = std::make_unique<ModuleState>();
    module->device = &call.device();
    std::string log;
    const abi::Result result = read_module(static_cast<const char*>(image), call.world().version, *module, log);
    char* buffer = nullptr;
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == abi::jit_error_log)
            buffer = static_cast<char*>(values[i]);
        else if (options[i] == abi::jit_error_log_bytes)
            size = reinterpret_cast<std::uintptr_t>(values[i]);
        else
            return abi::invalid_value;
    }
    if (buffer != nullptr && size > 0)
        std::snprintf(buffer, size, "%s", log.c_str());
    if (result != abi::success)
        return result;
    *handle = reinterpret_cast<abi::Module>(module.get());
    call.device().modules.emplace(module.get(), std::move(module));
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuModuleUnload, context, abi::Module handle) {
    return call.device().modules.erase(reinterpret_cast<ModuleState*>(handle)) == 1 ? abi::success
                                                                                    : abi::invalid_handle;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuModuleGetFunction, context, abi::Function* function, abi::Module handle, const char* name) {
    const auto module = call.device().modules.find(reinterpret_cast<ModuleState*>(handle));
    if (module == call.device().modules.end())
        return abi::invalid_handle;
    const auto found = module->second->functions.find(name);
    if (found == module->second->functions.end())
        return abi::not_found;
    *function = reinterpret_cast<abi::Function>(&found->second);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuFuncGetAttribute, context, int* value, int attribute, abi::Function handle) {
    const auto& kernel = reinterpret_cast<Function*>(handle)->kernel;
    if (attribute == abi::function_max_threads)
        *value = 1024;
    else if (attribute == abi::function_shared_memory)
        *value = kernel ? static_cast<int>(kernel->shared_bytes) : 0;
    else
        return abi::invalid_value;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuFuncSetAttribute, context, abi::Function function, int attribute, int value) {
    if (attribute != abi::function_max_dynamic_memory || value < 0 ||
        static_cast<std::size_t>(value) > call.device().shared_limit())
        return abi::invalid_value;
    reinterpret_cast<Function*>(function)->dynamic_limit = static_cast<std::size_t>(value);
    return abi::success;
}
DEVQ_VIRTUAL_END

// Registers are no matter here; the answer is like those of real devices.
DEVQ_VIRTUAL(cuOccupancyMaxPotentialBlockSize, context, int* blocks, int* threads, abi::Function function,
             std::size_t (*)(int), std::size_t, int limit) {
    if (function == nullptr)
        return abi::invalid_handle;
    *threads = limit > 0 && limit < 768 ? limit : 768;
    *blocks = 4;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuLaunchKernel, context, abi::Function handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
             unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic, abi::Stream stream_handle,
             void** parameters, void** extra) {
    const auto& function = *reinterpret_cast<Function*>(handle);
    const auto stream = find_stream(call.device(), stream_handle);
    if (!stream)
        return abi::invalid_handle;
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_x > 2147483647 || grid_y > 65535 || grid_z > 65535 ||
        block_x == 0 || block_y == 0 || block_z == 0 || block_z > 64 || block_x > 1024 || block_y > 1024 ||
        block_x * block_y * block_z > 1024 || dynamic > function.dynamic_limit || extra != nullptr)
        return abi::invalid_value;
    if (!function.kernel)
        return abi::not_supported; // machine code is not run
    const Kernel& kernel = *function.kernel;
    Launch launch{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic, {}};
    launch.parameters.resize(kernel.parameter_bytes);
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
        std::memcpy(launch.parameters.data() + kernel.parameter_offsets[i], parameters[i], kernel.parameters[i]);
    Device* device = &call.device();
    World* world = &call.world();
    // The kernel stays when its module goes.
    stream->add([=, launch = std::move(launch), kernel = function.kernel]() -> abi::Result {
        if (const abi::Result fault = world->fault("kernel"); fault != abi::success)
            return fault;
        return device->broken != abi::success ? abi::success : run(*kernel, launch, device->memory);
    });
    return abi::success;
}
DEVQ_VIRTUAL_END
