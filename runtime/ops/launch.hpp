#pragma once
/// The arguments of one of devq's own kernels: buffers as (memory, element offset), then values.

#include "../builtin.hpp"
#include "../state.hpp"
#include "checks.hpp"
#include "layout.hpp"
#include <array>
#include <cassert>
#include <span>
#include <utility>

namespace devq::detail {

class Launch {
public:
    Launch(const OpCall& call, const BuiltinKernel& kernel) : call_(call), kernel_(kernel) {}
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    Launch& view(const Operand& operand) { return memory(operand.buffer->memory, operand->offset()); }
    /// A view that the kernel may not touch (absent, or without elements): another's memory stands in for it.
    Launch& view_or(const Operand& operand, const Operand& stand_in) {
        if (operand.buffer && operand.buffer->memory)
            return view(operand);
        return memory(stand_in.buffer->memory, 0);
    }
    /// `value` must live until submit().
    template <class T>
    Launch& value(const T& value) {
        return add({backend::Argument::Kind::value, nullptr, &value, sizeof(T)});
    }
    ops::Placement submit(std::int64_t groups, unsigned local) {
        backend::LaunchRange range;
        range.global[0] = static_cast<std::size_t>(groups) * local;
        range.local[0] = local;
        submit_launch(call_.queue(), kernel_.kernel, range, std::span(arguments_).first(count_), call_.operation());
        return {"portable", kernel_.constants};
    }

private:
    Launch& memory(const std::shared_ptr<backend::Memory>& block, std::int64_t offset) {
        offsets_[count_] = offset;
        const std::int64_t& kept = offsets_[count_];
        return add({backend::Argument::Kind::buffer, block, nullptr, 0}).value(kept);
    }
    Launch& add(backend::Argument argument) {
        assert(count_ < arguments_.size());
        arguments_[count_++] = std::move(argument);
        return *this;
    }

    const OpCall& call_;
    const BuiltinKernel& kernel_;
    std::array<backend::Argument, 20> arguments_;
    std::array<std::int64_t, 20> offsets_{};
    std::size_t count_ = 0;
};

/// "T=f16" for builtin_kernel(); only for f32, f16 and bf16.
inline std::string_view storage_constant(DType type) {
    return type == DType::f32 ? "T=f32" : type == DType::f16 ? "T=f16" : "T=bf16";
}

} // namespace devq::detail
