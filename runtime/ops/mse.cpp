#include "launch.hpp"
#include <devq/ops/mse.hpp>

namespace devq::ops {

using namespace detail;

namespace {

using Strides = std::array<std::int64_t, max_rank>;

/// struct mse_shape of kernels/mse.cl
struct MseShape {
    Strides sizes, x, target, gradient, loss;
    std::int64_t inner, x_inner, target_inner, gradient_inner, loss_inner;
    std::int64_t units, units_per_chunk, chunks, chunks_per_group;
    float scale;
    std::int32_t rank, has_gradient, has_factor, per_element, unused;
};

/// Elements that one partial sum covers: a fixed number, so that the sum's order is the same on any number of cores.
constexpr std::int64_t chunk = 16384;

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

} // namespace

Placement mse_loss(const Queue& queue, const TensorView& loss, const TensorView& x, const TensorView& target,
                   const MseOptions& options) {
    const OpCall call(queue, "mse_loss");
    const Operand losses = call.output("loss", loss), values = call.input("x", x),
                  wanted = call.input("target", target);
    call.storage_type(values);
    call.same_type(wanted, values);
    call.sizes_are(wanted, x.sizes(), "as x's");
    call.type_is(losses, {DType::f32});
    if (options.per_element)
        call.sizes_are(losses, x.sizes(), "as x's (per_element)");
    else
        call.one_element(losses);
    call.apart(losses, values);
    call.apart(losses, wanted);
    Operand gradient, factor;
    if (options.gradient) {
        gradient = call.output("gradient", *options.gradient);
        call.same_type(gradient, values);
        call.sizes_are(gradient, x.sizes(), "as x's");
        call.apart_or_same(gradient, values);
        call.apart_or_same(gradient, wanted);
        call.apart(gradient, losses);
    }
    if (options.scale_factor) {
        factor = call.input("scale_factor", *options.scale_factor);
        call.type_is(factor, {DType::f32});
        call.one_element(factor);
        call.apart(losses, factor);
        if (options.gradient)
            call.apart(gradient, factor);
    }
    if (x.elements() == 0) {
        if (!options.per_element)
            call.fail("x is " + x.text() + ": there is no mean over nothing", "Pass at least one element.");
        return {};
    }
    const TensorView& stepped = options.gradient ? *options.gradient : x;
    const TensorView& kept = options.per_element ? loss : x;
    auto layout = collapse<4>(x.sizes(), {x.strides(), target.strides(), stepped.strides(), kept.strides()});
    const auto inner = layout.take_inner();
    const BuiltinKernel& kernel = builtin_kernel(queue, "mse", "mse", storage_constant(x.dtype()));
    MseShape shape{};
    shape.sizes = layout.sizes;
    shape.x = layout.strides[0];
    shape.target = layout.strides[1];
    shape.gradient = layout.strides[2];
    shape.rank = layout.rank;
    shape.inner = inner.size;
    shape.x_inner = inner.strides[0];
    shape.target_inner = inner.strides[1];
    shape.gradient_inner = inner.strides[2];
    if (options.per_element) { // else the chunk's number alone says where
        shape.loss = layout.strides[3];
        shape.loss_inner = inner.strides[3];
    }
    shape.units = layout.elements() * up(inner.size, kernel.vector);
    shape.units_per_chunk = chunk / kernel.vector;
    shape.chunks = up(shape.units, shape.units_per_chunk);
    shape.has_gradient = options.gradient ? 1 : 0;
    shape.has_factor = options.scale_factor ? 1 : 0;
    shape.per_element = options.per_element ? 1 : 0;
    const double elements = static_cast<double>(x.elements());
    shape.scale = static_cast<float>(2.0 * options.scale / (options.per_element ? 1.0 : elements));
    const Split work = split(call.device(), kernel, shape.chunks, std::min(chunk, x.elements()), true,
                             std::min(shape.units, shape.units_per_chunk));
    shape.chunks_per_group = work.units_per_group;
    const auto submit = [&](const Operand& sums) {
        return Launch(call, kernel)
            .view(sums)
            .view(values)
            .view(wanted)
            .view_or(gradient, values)
            .view_or(factor, sums)
            .value(shape)
            .submit(work.groups, work.local);
    };
    if (options.per_element)
        return submit(losses);
    const Tensor workspace(queue.device(), DType::f32, {shape.chunks});
    const Operand partials = call.output("workspace", workspace.view());
    const Placement placement = submit(partials);
    const BuiltinKernel& mean = builtin_kernel(queue, "mse", "mse_mean", "T=f32");
    const float divisor = static_cast<float>(elements);
    Launch(call, mean).view(losses).view(partials).value(shape.chunks).value(divisor).submit(1, mean.group);
    return placement;
}

} // namespace devq::ops
