#include "launch.hpp"
#include <cmath>
#include <devq/ops/fill.hpp>
#include <devq/ops/histogram.hpp>
#include <limits>

namespace devq::ops {

using namespace detail;

namespace {

/// struct histogram_shape of kernels/histogram.cl
struct HistogramShape {
    std::array<std::int64_t, max_rank> sizes, strides;
    std::int64_t inner, inner_stride, counts_stride, units, units_per_group;
    float low, high, scale;
    std::int32_t bins, rank, unit;
};

constexpr std::int64_t few_bins = 2048; ///< FEW of kernels/histogram.cl
constexpr std::int64_t most_bins = std::int64_t{1} << 24;

} // namespace

Placement histogram(const Queue& queue, const TensorView& counts, const TensorView& in, float low, float high) {
    const OpCall call(queue, "histogram");
    const Operand target = call.output("counts", counts), source = call.input("in", in);
    call.type_is(target, {DType::i32});
    call.rank_is(target, 1);
    call.storage_type(source);
    call.apart(target, source);
    const std::int64_t bins = counts.size(0);
    if (bins > most_bins)
        call.fail("counts is " + counts.text() + ": more bins than f32 can number", "Use 2^24 bins at most.");
    if (in.elements() > std::numeric_limits<std::int32_t>::max())
        call.fail("in is " + in.text() + ": a count of its elements may not fit 32 bits", "Count slices of it.");
    const auto scale = static_cast<float>(static_cast<double>(bins) / (static_cast<double>(high) - low));
    if (!(low < high) || !std::isfinite(high - low) || !std::isfinite(scale))
        call.fail("the range from " + std::to_string(low) + " to " + std::to_string(high) + " cannot be divided into " +
                      std::to_string(bins) + " bins",
                  "Choose finite limits, low < high, that are neither too close nor too far apart for f32.");
    if (bins == 0)
        return {};
    const Placement emptied = fill(queue, counts, 0);
    if (in.elements() == 0)
        return emptied;
    auto layout = collapse<1>(in.sizes(), {in.strides()});
    const auto inner = layout.take_inner();
    HistogramShape shape{};
    shape.sizes = layout.sizes;
    shape.strides = layout.strides[0];
    shape.rank = layout.rank;
    shape.inner = inner.size;
    shape.inner_stride = inner.strides[0];
    shape.counts_stride = counts.stride(0);
    shape.low = low;
    shape.high = high;
    shape.scale = scale;
    shape.bins = static_cast<std::int32_t>(bins);
    const BuiltinKernel& kernel = builtin_kernel(
        queue, "histogram", bins <= few_bins ? "histogram_few" : "histogram_many", storage_constant(in.dtype()));
    shape.unit = kernel.group == 1 ? 1024 : 4;
    shape.units = layout.elements() * ((inner.size + shape.unit - 1) / shape.unit);
    constexpr std::int64_t cost = 4; // of an element
    const Split work = split(call.device(), kernel, shape.units, cost * std::min<std::int64_t>(inner.size, shape.unit));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(target).view(source).value(shape).submit(work.groups, work.local);
}

} // namespace devq::ops
