#include "state.hpp"
#include <algorithm>
#include <devq/error.hpp>
#include <devq/tensor.hpp>
#include <limits>
#include <utility>

namespace devq {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void invalid(const char* operation, const std::string& problem, const std::string& advice) {
    throw Error(ErrorCode::invalid_argument, operation, problem, advice);
}

/// Element count; false when it does not fit 63 bits.
bool count(const Dims& sizes, std::int64_t& product) {
    product = 0;
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) // zero, however large the others are
        return true;
    product = 1;
    for (const std::int64_t size : sizes)
        if (__builtin_mul_overflow(product, size, &product))
            return false;
    return true;
}

std::int64_t checked_count(const char* operation, const Dims& sizes) {
    for (const std::int64_t size : sizes) // Dims checks its arguments, but lets values be written
        if (size < 0)
            invalid(operation, "the size " + std::to_string(size) + " in " + sizes.text() + " is negative",
                    "Sizes are counts of elements.");
    std::int64_t product = 0;
    if (!count(sizes, product))
        invalid(operation, "sizes " + sizes.text() + " have more elements than 63 bits can count",
                "Use smaller sizes.");
    return product;
}

void check_axis(const char* operation, const TensorView& view, int axis) {
    if (axis < 0 || axis >= view.rank())
        invalid(operation, "axis " + std::to_string(axis) + " of " + view.text() + " does not exist",
                view.rank() == 0 ? "The view has no axes."
                                 : "Axes are numbered from 0 to " + std::to_string(view.rank() - 1) + ".");
}

std::string describe(DType type, const Dims& sizes, const Dims& strides, std::int64_t offset) {
    return std::string(to_string(type)) + sizes.text() + " strides " + strides.text() + " offset " +
           std::to_string(offset);
}

} // namespace

Dims::Dims(std::span<const std::int64_t> values) {
    if (values.size() > static_cast<std::size_t>(max_rank))
        invalid("Dims", std::to_string(values.size()) + " dimensions are too many",
                "At most " + std::to_string(max_rank) + " are possible: merge some.");
    for (const std::int64_t value : values) {
        if (value < 0)
            invalid("Dims", "the value " + std::to_string(value) + " is negative",
                    "Sizes and strides are counts of elements, 0 or more.");
        values_[static_cast<std::size_t>(rank_++)] = value;
    }
}

Dims Dims::filled(int rank, std::int64_t value) {
    if (rank < 0 || rank > max_rank)
        invalid("Dims::filled", "a rank of " + std::to_string(rank) + " is impossible",
                "Ranks go from 0 to " + std::to_string(max_rank) + ".");
    const std::array<std::int64_t, max_rank> values{value, value, value, value, value, value, value, value};
    return Dims(std::span(values).first(static_cast<std::size_t>(rank)));
}

std::string Dims::text() const {
    std::string result = "[";
    for (int i = 0; i < rank_; ++i) {
        result += i == 0 ? "" : ", ";
        result += std::to_string((*this)[i]);
    }
    return result + "]";
}

Dims row_major(const Dims& sizes) {
    checked_count("row_major", sizes);
    Dims strides = sizes;
    std::int64_t step = 1;
    for (int axis = sizes.rank() - 1; axis >= 0; --axis) {
        strides[axis] = step;
        // Only where there is no element at all can this overflow; then no stride is ever used.
        if (__builtin_mul_overflow(step, std::max<std::int64_t>(sizes[axis], 1), &step))
            step = largest;
    }
    return strides;
}

TensorView::TensorView(const Buffer& buffer, DType type, const Dims& sizes, std::int64_t offset)
    : TensorView(buffer, type, sizes, row_major(sizes), offset) {}

TensorView::TensorView(const Buffer& buffer, DType type, const Dims& sizes, const Dims& strides, std::int64_t offset)
    : buffer_(buffer.state()), type_(type), sizes_(sizes), strides_(strides), offset_(offset) {
    constexpr const char* operation = "TensorView";
    if (!buffer)
        invalid(operation, "the buffer is empty (never allocated, or moved from)",
                "Allocate it with Device::allocate.");
    if (strides.rank() != sizes.rank())
        invalid(operation, "sizes " + sizes.text() + " and strides " + strides.text() + " differ in rank",
                "Give one stride for each size.");
    const std::int64_t elements = checked_count(operation, sizes);
    for (const std::int64_t stride : strides)
        if (stride < 0)
            invalid(operation, "the stride " + std::to_string(stride) + " in " + strides.text() + " is negative",
                    "Strides are counts of elements, 0 or more.");
    if (!is_known(type))
        invalid(operation, "the type has the value " + std::to_string(static_cast<int>(type)) + ", which DType has not",
                "Use one of DType's enumerators.");
    const std::size_t capacity = buffer.size() / size_of(type);
    const auto outside = [&](const std::string& what) {
        invalid(operation,
                describe(type, sizes, strides, offset) + " " + what + ", but the buffer holds " +
                    std::to_string(capacity) + " elements (" + std::to_string(buffer.size()) + " bytes)",
                "Use a smaller window or offset, or a larger buffer.");
    };
    if (offset < 0)
        outside("begins before the buffer");
    if (static_cast<std::uint64_t>(offset) > capacity)
        outside("begins after its end");
    if (elements == 0)
        return;
    std::int64_t last = offset;
    for (int axis = 0; axis < sizes.rank(); ++axis) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(sizes[axis] - 1, strides[axis], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            outside("reaches further than 63 bits can count");
    }
    if (static_cast<std::uint64_t>(last) >= capacity)
        outside("reaches element " + std::to_string(last));
}

std::int64_t TensorView::elements() const noexcept {
    std::int64_t product = 1;
    count(sizes_, product); // fits: looked at when the view was made
    return product;
}

bool TensorView::contiguous() const noexcept {
    if (elements() == 0)
        return true;
    std::int64_t step = 1;
    for (int axis = rank() - 1; axis >= 0; --axis) {
        if (sizes_[axis] == 1) // its stride is never used
            continue;
        if (strides_[axis] != step)
            return false;
        step *= sizes_[axis];
    }
    return true;
}

Buffer TensorView::buffer() const {
    if (auto state = buffer_.lock())
        return Buffer(std::move(state));
    invalid("TensorView::buffer", "the buffer of " + text() + " is gone",
            "Views do not own memory: keep the Buffer or Tensor as long as its views are used.");
}

TensorView TensorView::transposed(int axis_a, int axis_b) const {
    check_axis("TensorView::transposed", *this, axis_a);
    check_axis("TensorView::transposed", *this, axis_b);
    TensorView result = *this;
    std::swap(result.sizes_[axis_a], result.sizes_[axis_b]);
    std::swap(result.strides_[axis_a], result.strides_[axis_b]);
    return result;
}

TensorView TensorView::permuted(std::span<const int> order) const {
    constexpr const char* operation = "TensorView::permuted";
    const auto axes = static_cast<std::size_t>(rank());
    if (order.size() != axes)
        invalid(operation,
                std::to_string(order.size()) + " axes are named, but " + text() + " has " + std::to_string(axes),
                "Name each axis once.");
    TensorView result = *this;
    std::array<bool, max_rank> seen{};
    for (std::size_t i = 0; i < axes; ++i) {
        check_axis(operation, *this, order[i]);
        if (std::exchange(seen[static_cast<std::size_t>(order[i])], true))
            invalid(operation, "axis " + std::to_string(order[i]) + " of " + text() + " is named twice",
                    "Name each axis once.");
        result.sizes_[static_cast<int>(i)] = sizes_[order[i]];
        result.strides_[static_cast<int>(i)] = strides_[order[i]];
    }
    return result;
}

TensorView TensorView::sliced(int axis, std::int64_t start, std::int64_t length, std::int64_t step) const {
    constexpr const char* operation = "TensorView::sliced";
    check_axis(operation, *this, axis);
    if (step < 1)
        invalid(operation,
                "a step of " + std::to_string(step) + " along axis " + std::to_string(axis) + " of " + text(),
                "Steps are 1 or more.");
    const std::int64_t size = sizes_[axis];
    if (start < 0 || length < 0 || start > size ||
        (length > 0 && (start == size || length - 1 > (size - 1 - start) / step)))
        invalid(operation,
                std::to_string(length) + " elements from " + std::to_string(start) + " on" +
                    (step > 1 ? ", each " + std::to_string(step) + "th," : "") + " are not within axis " +
                    std::to_string(axis) + " of " + text(),
                "Start and length must lie in 0 to " + std::to_string(size) + ".");
    TensorView result = *this;
    result.sizes_[axis] = length;
    if (length > 1 && result.elements() > 0) // then the product is a stride within the buffer
        result.strides_[axis] *= step;
    if (result.elements() > 0) // a window on nothing stays where it is: its start may lie behind the buffer
        result.offset_ += start * strides_[axis];
    return result;
}

TensorView TensorView::broadcast_to(const Dims& sizes) const {
    constexpr const char* operation = "TensorView::broadcast_to";
    checked_count(operation, sizes);
    const int added = sizes.rank() - rank();
    TensorView result = *this;
    result.sizes_ = sizes;
    result.strides_ = Dims::filled(sizes.rank(), 0);
    bool fits = added >= 0;
    for (int axis = 0; fits && axis < rank(); ++axis) {
        const std::int64_t wanted = sizes[axis + added];
        fits = sizes_[axis] == wanted || sizes_[axis] == 1;
        result.strides_[axis + added] = sizes_[axis] == wanted ? strides_[axis] : 0;
    }
    if (!fits)
        invalid(operation, text() + " does not fit " + sizes.text(),
                "From the last axis on, each size must be 1 or the wanted one; axes can only be added in front.");
    return result;
}

TensorView TensorView::reshaped(const Dims& sizes) const {
    constexpr const char* operation = "TensorView::reshaped";
    if (checked_count(operation, sizes) != elements())
        invalid(operation,
                text() + " has " + std::to_string(elements()) + " elements, " + sizes.text() + " has " +
                    std::to_string(checked_count(operation, sizes)),
                "A reshape keeps the number of elements.");
    if (!contiguous())
        invalid(operation, text() + " is not contiguous",
                "Copy it into a new tensor first (ops::cast to its own type).");
    TensorView result = *this;
    result.sizes_ = sizes;
    result.strides_ = row_major(sizes);
    return result;
}

std::string TensorView::text() const { return describe(type_, sizes_, strides_, offset_); }

Tensor::Tensor(const Device& device, DType type, const Dims& sizes) {
    const std::int64_t elements = checked_count("Tensor", sizes);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(elements), size_of(type), &bytes))
        invalid("Tensor", std::string(to_string(type)) + sizes.text() + " needs more bytes than 64 bits can count",
                "Use smaller sizes.");
    buffer_ = device.allocate(bytes);
    view_ = TensorView(buffer_, type, sizes);
}

} // namespace devq
