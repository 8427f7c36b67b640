#pragma once
/// How a library does what is described to it: searched for once, kept by description.

#include "backend.hpp"
#include <memory>
#include <mutex>
#include <unordered_map>

namespace devq::cuda {

/// Of whole numbers and enumerations, and arrays of them.
class Hash {
public:
    template <class T>
    Hash& add(const T& value) noexcept {
        if constexpr (requires { value.begin(); }) {
            for (const auto& part : value)
                add(part);
        } else {
            state_ = (state_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
            state_ ^= state_ >> 29;
        }
        return *this;
    }
    std::size_t value() const noexcept { return static_cast<std::size_t>(state_); }

private:
    std::uint64_t state_ = 0x243F6A8885A308D3u;
};

struct DescriptionHash {
    std::size_t operator()(const backend::MatmulDescription& d) const noexcept {
        Hash hash;
        for (const auto* matrix : {&d.a, &d.b, &d.c, &d.out})
            hash.add(matrix->type).add(matrix->row).add(matrix->column).add(matrix->batch).add(matrix->alignment);
        hash.add(d.m).add(d.n).add(d.k).add(d.batch_rank).add(d.batch_sizes).add(d.compute).add(d.bias);
        hash.add(d.accumulate)
            .add(d.places)
            .add(d.bias_stride)
            .add(d.bias_alignment)
            .add(d.epilogue)
            .add(d.relu_may_drop_nan)
            .add(d.workspace_limit)
            .add(d.deterministic);
        return hash.value();
    }
    std::size_t operator()(const backend::ConvolutionDescription& d) const noexcept {
        Hash hash;
        for (const auto* tensor : {&d.image, &d.filter, &d.result})
            hash.add(tensor->type).add(tensor->sizes).add(tensor->strides).add(tensor->alignment);
        hash.add(d.direction).add(d.stride).add(d.dilation).add(d.padding_before).add(d.padding_behind).add(d.groups);
        hash.add(d.compute).add(d.accumulate).add(d.workspace_limit).add(d.deterministic);
        return hash.value();
    }
};

/// Plans by description. Thread-safe; one search at a time.
template <class Description, class Plan>
class PlanCache {
public:
    /// make() gives a plan, also for what cannot be done; what it throws is not kept.
    template <class Make>
    std::shared_ptr<Plan> get(const Description& description, Make&& make) {
        const std::lock_guard lock(mutex_);
        if (const auto found = plans_.find(description); found != plans_.end())
            return found->second;
        std::shared_ptr<Plan> plan = make();
        if (plans_.size() >= most)
            plans_.clear(); // sizes that change all the time: what is still wanted comes back
        plans_.emplace(description, plan);
        return plan;
    }

private:
    static constexpr std::size_t most = 1024;
    std::mutex mutex_;
    std::unordered_map<Description, std::shared_ptr<Plan>, DescriptionHash> plans_;
};

} // namespace devq::cuda
