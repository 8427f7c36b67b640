#pragma once
/// What is checked of a launch before anything is queued.

#include "state.hpp"
#include <array>
#include <vector>

namespace devq::detail {

/// Arguments of one launch, made without allocation for as many as kernels usually have.
class ArgumentList {
public:
    explicit ArgumentList(std::size_t count) : count_(count) {
        if (count > few_.size())
            many_.resize(count);
    }
    std::span<backend::Argument> span() noexcept { return {count_ > few_.size() ? many_.data() : few_.data(), count_}; }

private:
    std::size_t count_;
    std::array<backend::Argument, 16> few_;
    std::vector<backend::Argument> many_;
};

/// Checks count, kind, value kind, size and device of every argument, and local memory and argument bytes against the
/// limits; fills `out`, which has arguments.size() places. Throws invalid_argument that names the parameter.
void check_arguments(const KernelState& kernel, const Capabilities& limits, std::span<const KernelArg> arguments,
                     std::span<backend::Argument> out);

/// The range with its group size: checked, or chosen where the caller left it to devq.
backend::LaunchRange check_range(const KernelState& kernel, const Capabilities& limits, const Range& range);

} // namespace devq::detail
