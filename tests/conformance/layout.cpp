#include "layout.hpp"

namespace devq::conformance {

namespace {
Dims packed_strides(const Dims& sizes, std::int64_t last, std::int64_t row_gap) {
    Dims strides = sizes;
    std::int64_t stride = last;
    for (int axis = sizes.rank() - 1; axis >= 0; --axis) {
        strides[axis] = stride;
        stride *= sizes[axis];
        if (axis == sizes.rank() - 1)
            stride += row_gap;
    }
    return strides;
}
} // namespace

std::int64_t Layout::elements() const noexcept {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        count *= size;
    return count;
}

std::int64_t Layout::span() const noexcept {
    if (elements() == 0)
        return shift;
    std::int64_t last = shift;
    for (int axis = 0; axis < sizes.rank(); ++axis)
        last += (sizes[axis] - 1) * strides[axis];
    return last + 1;
}

std::int64_t Layout::at(const Index& index) const noexcept {
    std::int64_t element = shift;
    for (int axis = 0; axis < sizes.rank(); ++axis)
        element += index[static_cast<std::size_t>(axis)] * strides[axis];
    return element;
}

std::string Layout::text() const {
    std::string text;
    for (const std::int64_t size : sizes) {
        text += text.empty() ? "" : "x";
        text += std::to_string(size);
    }
    return (text.empty() ? "scalar" : text) + note;
}

Layout packed(const Dims& sizes) { return {sizes, packed_strides(sizes, 1, 0), 0, {}}; }

Layout gapped(const Dims& sizes, std::int64_t gap) {
    return {sizes, packed_strides(sizes, 1, gap), 0, " gap" + std::to_string(gap)};
}

Layout swapped(const Dims& sizes, int a, int b) {
    Dims memory = sizes;
    std::swap(memory[a], memory[b]);
    Dims strides = packed_strides(memory, 1, 0);
    std::swap(strides[a], strides[b]);
    return {sizes, strides, 0, " t" + std::to_string(a) + std::to_string(b)};
}

Layout channels_last(const Dims& sizes) {
    const std::int64_t channels = sizes[1], row = sizes[3] * channels;
    return {sizes, Dims{sizes[2] * row, 1, row, channels}, 0, " nhwc"};
}

Layout stepped(const Dims& sizes, std::int64_t step) {
    return {sizes, packed_strides(sizes, step, 0), 0, " step" + std::to_string(step)};
}

Layout repeated(const Dims& sizes, unsigned axes_mask) {
    Dims memory = sizes;
    for (int axis = 0; axis < sizes.rank(); ++axis)
        if ((axes_mask >> axis) & 1u)
            memory[axis] = 1;
    Layout layout{sizes, packed_strides(memory, 1, 0), 0, " rep"};
    for (int axis = 0; axis < sizes.rank(); ++axis)
        if ((axes_mask >> axis) & 1u) {
            layout.strides[axis] = 0;
            layout.note += std::to_string(axis);
        }
    return layout;
}

Layout shifted(Layout layout, std::int64_t elements) {
    layout.shift += elements;
    if (layout.shift > 0)
        layout.note += " off" + std::to_string(layout.shift);
    return layout;
}

} // namespace devq::conformance
