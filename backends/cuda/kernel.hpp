#pragma once
#include "backend.hpp"
#include "program.hpp"
#include <mutex>

namespace devq::cuda {

/// A CUfunction: it holds no arguments, so that every thread may launch it.
class Kernel final : public backend::Kernel {
public:
    /// The context is current.
    Kernel(std::shared_ptr<LoadedModule> module, const std::string& name);

    std::size_t local_bytes() const override { return local_bytes_; }
    std::size_t max_group_items() const override { return max_group_items_; }
    backend::GroupAdvice group_advice() const override { return advice_; }

    /// The context is current.
    void launch(abi::Stream stream, const backend::LaunchRange& range, std::span<const backend::Argument> arguments);

private:
    int attribute(int which) const;
    void allow_dynamic_memory(std::size_t bytes);

    std::shared_ptr<LoadedModule> module_;
    std::string name_;
    abi::Function function_ = nullptr;
    std::size_t local_bytes_ = 0, max_group_items_ = 0;
    backend::GroupAdvice advice_;
    std::mutex mutex_;
    std::size_t dynamic_limit_ = 0; ///< of a launch, as the function is set now
};

} // namespace devq::cuda
