#include "launch.hpp"
#include <cmath>
#include <devq/ops/random.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct random_shape of kernels/random.cl
struct RandomShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides;
    std::uint64_t first_block, stream;
    std::int64_t before, count, units, units_per_group;
    std::uint32_t key_0, key_1, limit;
    std::int32_t always, rank;
    float scale, mean, unused;
};

/// Axes merged where both views go on in memory, in their own order: it is the order of the numbers.
void merge_axes(RandomShape& shape, const TensorView& out, const TensorView& in) {
    for (int d = 0; d < out.rank(); d++) {
        if (out.size(d) == 1)
            continue;
        const auto last = static_cast<std::size_t>(std::max(shape.rank, 1) - 1);
        const bool merges = shape.rank > 0 && continues(shape.out_strides[last], out.stride(d), out.size(d)) &&
                            continues(shape.in_strides[last], in.stride(d), out.size(d));
        const std::size_t to = merges ? last : static_cast<std::size_t>(shape.rank++);
        shape.sizes[to] = merges ? shape.sizes[to] * out.size(d) : out.size(d);
        shape.out_strides[to] = out.stride(d);
        shape.in_strides[to] = in.stride(d);
    }
    // Neighbours in memory need no table.
    if (shape.rank == 1 && shape.out_strides[0] == 1 && shape.in_strides[0] == 1)
        shape.rank = 0;
}

Placement launch(const OpCall& call, const char* kernel_name, const Operand& out, const Operand* in,
                 const RandomState& state, RandomShape shape) {
    if (out->elements() == 0)
        return {};
    const std::string_view type = out->dtype() == DType::u32 ? "T=f32" : storage_constant(out->dtype());
    const BuiltinKernel& kernel = builtin_kernel(call.queue(), "random", kernel_name, type);
    merge_axes(shape, *out, in != nullptr ? **in : *out);
    shape.first_block = state.offset / 4;
    shape.before = static_cast<std::int64_t>(state.offset % 4);
    shape.stream = state.stream;
    shape.key_0 = static_cast<std::uint32_t>(state.seed);
    shape.key_1 = static_cast<std::uint32_t>(state.seed >> 32);
    shape.count = out->elements();
    // On CPUs a block in each lane of a vector, on GPUs one a work-item.
    const std::int64_t unit = kernel.group == 1 ? std::int64_t{4} * kernel.vector : 4;
    shape.units = (shape.before + shape.count + unit - 1) / unit;
    constexpr std::int64_t dear = 8; // an element is as dear as so many plain ones
    const Split work = split(call.device(), kernel, shape.units, dear * unit);
    shape.units_per_group = work.units_per_group;
    Launch launch(call, kernel);
    launch.view(out);
    if (in != nullptr)
        launch.view(*in);
    return launch.value(shape).submit(work.groups, work.local);
}

Operand output(const OpCall& call, const TensorView& out) {
    const Operand target = call.output("out", out);
    call.storage_type(target);
    return target;
}

/// Words below `limit` are 1; all are where `always`.
void set_probability(RandomShape& shape, double probability) {
    const double limit = std::nearbyint(probability * 0x1p32);
    shape.always = limit >= 0x1p32 ? 1 : 0;
    shape.limit = shape.always != 0 ? 0 : static_cast<std::uint32_t>(limit);
}

void check_probability(const OpCall& call, const char* name, double value) {
    if (!(value >= 0 && value <= 1))
        call.fail(std::string(name) + " is " + std::to_string(value), "A probability is from 0 to 1.");
}

Placement scaled_mask(const Queue& queue, const char* name, const char* out_name, const char* in_name,
                      const TensorView& out, const TensorView& in, const RandomState& state, double p) {
    const OpCall call(queue, name);
    const Operand target = call.output(out_name, out), source = call.input(in_name, in);
    call.storage_type(target);
    call.same_type(source, target);
    call.sizes_are(source, out.sizes(), "as the result's");
    call.apart_or_same(target, source);
    check_probability(call, "p", p);
    RandomShape shape{};
    set_probability(shape, 1 - p);
    shape.scale = p < 1 ? static_cast<float>(1 / (1 - p)) : 0.0f;
    return launch(call, "random_dropout", target, &source, state, shape);
}

} // namespace

Placement random_bits(const Queue& queue, const TensorView& out, const RandomState& state) {
    const OpCall call(queue, "random_bits");
    const Operand target = call.output("out", out);
    call.type_is(target, {DType::u32});
    return launch(call, "random_bits", target, nullptr, state, {});
}

Placement uniform(const Queue& queue, const TensorView& out, const RandomState& state) {
    const OpCall call(queue, "uniform");
    return launch(call, "random_uniform", output(call, out), nullptr, state, {});
}

Placement normal(const Queue& queue, const TensorView& out, const RandomState& state, const NormalOptions& options) {
    const OpCall call(queue, "normal");
    const Operand target = output(call, out);
    if (!std::isfinite(options.mean) || !(std::isfinite(options.deviation) && options.deviation >= 0))
        call.fail("mean is " + std::to_string(options.mean) + ", deviation " + std::to_string(options.deviation),
                  "Both are finite, and deviation is 0 or more.");
    RandomShape shape{};
    shape.mean = options.mean;
    shape.scale = options.deviation;
    return launch(call, "random_normal", target, nullptr, state, shape);
}

Placement bernoulli(const Queue& queue, const TensorView& out, const RandomState& state, double probability) {
    const OpCall call(queue, "bernoulli");
    const Operand target = output(call, out);
    check_probability(call, "probability", probability);
    RandomShape shape{};
    set_probability(shape, probability);
    return launch(call, "random_bernoulli", target, nullptr, state, shape);
}

Placement dropout(const Queue& queue, const TensorView& out, const TensorView& in, const RandomState& state, double p) {
    return scaled_mask(queue, "dropout", "out", "in", out, in, state, p);
}

Placement dropout_backward(const Queue& queue, const TensorView& in_gradient, const TensorView& out_gradient,
                           const RandomState& state, double p) {
    return scaled_mask(queue, "dropout_backward", "in_gradient", "out_gradient", in_gradient, out_gradient, state, p);
}

} // namespace devq::ops
