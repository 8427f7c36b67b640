#pragma once
#include "memory.hpp"

namespace devq::cuda {

/// A CUDA graph, made by capturing a stream, and what its commands use.
class Graph final : public backend::Sequence {
public:
    /// The context is current; `captured` is on a stream of its own. Takes the graph over.
    Graph(std::shared_ptr<Context> context, abi::Graph captured, std::vector<std::shared_ptr<Memory>> memories);
    ~Graph() override;

    /// The context is current.
    void launch(const std::shared_ptr<Stream>& stream);

private:
    std::shared_ptr<Context> context_;
    std::vector<std::shared_ptr<Memory>> memories_;
    std::mutex mutex_; ///< the driver's graphs are not thread-safe
    abi::GraphExec handle_ = nullptr;
};

} // namespace devq::cuda
