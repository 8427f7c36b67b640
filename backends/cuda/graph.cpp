#include "graph.hpp"
#include <algorithm>

namespace devq::cuda {

Graph::Graph(std::shared_ptr<Context> context, abi::Graph captured, std::vector<std::shared_ptr<Memory>> memories)
    : context_(std::move(context)), memories_(std::move(memories)) {
    std::sort(memories_.begin(), memories_.end());
    memories_.erase(std::unique(memories_.begin(), memories_.end()), memories_.end());
    const abi::Result result = context_->driver().graph_instantiate(&handle_, captured, 0);
    context_->note(context_->driver().graph_destroy(captured), "cuGraphDestroy");
    context_->check(result, "cuGraphInstantiateWithFlags");
}

Graph::~Graph() {
    if (context_->try_enter())
        context_->note(context_->driver().graph_exec_destroy(handle_), "cuGraphExecDestroy");
}

void Graph::launch(const std::shared_ptr<Stream>& stream) {
    for (const auto& memory : memories_)
        memory->used_by(stream);
    const std::lock_guard lock(mutex_);
    context_->check(context_->driver().graph_launch(handle_, stream->handle()), "cuGraphLaunch");
    stream->submitted();
}

} // namespace devq::cuda
