// The entry points of the stand-in for libcuda.so.1: capturing streams, and graphs.
#include "entry.hpp"
#include <utility>

using namespace virtual_cuda;

DEVQ_VIRTUAL(cuStreamBeginCapture_v2, context, abi::Stream handle, int mode) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    if (mode < 0 || mode > abi::capture_relaxed || stream->captures)
        return abi::invalid_value;
    stream->captures = true;
    stream->invalidated = false;
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuStreamEndCapture, context, abi::Stream handle, abi::Graph* graph) {
    const auto stream = find_stream(call.device(), handle);
    if (!stream)
        return abi::invalid_handle;
    *graph = nullptr;
    if (!stream->captures)
        return abi::invalid_value;
    auto made = std::make_unique<GraphState>();
    made->commands = std::exchange(stream->captured, {});
    stream->captures = false;
    if (stream->invalidated)
        return abi::capture_invalidated;
    *graph = reinterpret_cast<abi::Graph>(made.get());
    call.device().graphs.emplace(made.get(), std::move(made));
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuGraphInstantiateWithFlags, context, abi::GraphExec* exec, abi::Graph graph, unsigned long long flags) {
    const auto found = call.device().graphs.find(reinterpret_cast<GraphState*>(graph));
    if (found == call.device().graphs.end())
        return abi::invalid_handle;
    if (flags != 0)
        return abi::invalid_value;
    auto made = std::make_unique<GraphState>(*found->second);
    *exec = reinterpret_cast<abi::GraphExec>(made.get());
    call.device().launchable.emplace(made.get(), std::move(made));
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuGraphLaunch, context, abi::GraphExec exec, abi::Stream handle) {
    const auto stream = find_stream(call.device(), handle);
    const auto found = call.device().launchable.find(reinterpret_cast<GraphState*>(exec));
    if (!stream || found == call.device().launchable.end())
        return abi::invalid_handle;
    if (stream->spoils_capture())
        return abi::capture_unsupported;
    for (const StreamState::Work& work : found->second->commands)
        stream->add(work);
    return abi::success;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuGraphDestroy, context, abi::Graph graph) {
    return call.device().graphs.erase(reinterpret_cast<GraphState*>(graph)) == 1 ? abi::success : abi::invalid_handle;
}
DEVQ_VIRTUAL_END

DEVQ_VIRTUAL(cuGraphExecDestroy, context, abi::GraphExec exec) {
    return call.device().launchable.erase(reinterpret_cast<GraphState*>(exec)) == 1 ? abi::success
                                                                                    : abi::invalid_handle;
}
DEVQ_VIRTUAL_END
