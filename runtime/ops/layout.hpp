#pragma once
/// How an operation's elements are walked: axes put in order, merged where memory allows, and cut into work-groups.

#include <algorithm>
#include <array>
#include <cstdint>
#include <devq/tensor.hpp>

namespace devq::detail {

struct DeviceState;
struct BuiltinKernel;

/// The same index space for `Operands` views: sizes of at least 2, outermost first; the first operand's strides order
/// the axes, the smallest innermost.
template <int Operands>
struct Layout {
    int rank = 0;
    std::array<std::int64_t, max_rank> sizes{};
    std::array<std::array<std::int64_t, max_rank>, Operands> strides{};

    std::int64_t elements() const noexcept {
        std::int64_t product = 1;
        for (int d = 0; d < rank; d++)
            product *= sizes[static_cast<std::size_t>(d)];
        return product;
    }

    /// Takes the innermost axis off. Size 1, stride 1 (of all) when there is none.
    struct Inner {
        std::int64_t size = 1;
        std::array<std::int64_t, Operands> strides{};
    };
    Inner take_inner() noexcept {
        Inner inner;
        inner.strides.fill(1);
        if (rank == 0)
            return inner;
        const auto last = static_cast<std::size_t>(--rank);
        inner.size = sizes[last];
        for (std::size_t o = 0; o < Operands; o++)
            inner.strides[o] = strides[o][last];
        return inner;
    }
};

/// stride == inner · size: one step outward is `size` steps inward. Strides of views without elements may be so large
/// that the product is more than 63 bits can say.
inline bool continues(std::int64_t stride, std::int64_t inner, std::int64_t size) noexcept {
    std::int64_t step = 0;
    return !__builtin_mul_overflow(inner, size, &step) && stride == step;
}

template <int Operands>
Layout<Operands> collapse(const Dims& sizes, const std::array<Dims, Operands>& strides) {
    std::array<int, max_rank> order{};
    std::size_t count = 0;
    for (int d = 0; d < sizes.rank(); d++)
        if (sizes[d] != 1)
            order[count++] = d;
    std::stable_sort(order.begin(), order.begin() + count, [&](int x, int y) {
        for (const Dims& s : strides)
            if (s[x] != s[y])
                return s[x] > s[y];
        return false;
    });
    Layout<Operands> layout;
    for (std::size_t i = 0; i < count; i++) {
        const int d = order[i];
        const auto last = static_cast<std::size_t>(layout.rank - 1);
        bool merges = layout.rank > 0;
        for (std::size_t o = 0; merges && o < Operands; o++)
            merges = continues(layout.strides[o][last], strides[o][d], sizes[d]);
        const std::size_t to = merges ? last : static_cast<std::size_t>(layout.rank++);
        layout.sizes[to] = merges ? layout.sizes[to] * sizes[d] : sizes[d];
        for (std::size_t o = 0; o < Operands; o++)
            layout.strides[o][to] = strides[o][d];
    }
    return layout;
}

/// Units of work shared out over groups.
struct Split {
    std::int64_t groups = 0;
    std::int64_t units_per_group = 0;
    unsigned local = 1;
};

/// `cost`: about how many elements a unit handles, so that small work stays in few groups. `cooperative`: a unit takes
/// a whole group (of up to `width` useful work-items), not one work-item.
Split split(const DeviceState& device, const BuiltinKernel& kernel, std::int64_t units, std::int64_t cost,
            bool cooperative = false, std::int64_t width = 1 << 20);

} // namespace devq::detail
