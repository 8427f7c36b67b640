#include "launch.hpp"
#include <devq/ops/optimizer.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct sgd_options of kernels/optimizer.cl
struct SgdShape {
    std::int64_t count, count_per_group;
    float learning_rate, momentum, weight_decay;
    std::int32_t has_skip;
};

/// struct unscale_shape of kernels/optimizer.cl
struct UnscaleShape {
    std::array<std::int64_t, max_rank> sizes, strides;
    std::int64_t inner, inner_stride, units, units_per_group;
    std::int32_t rank, unused;
};

Operand one_f32(const OpCall& call, const char* name, const TensorView& view, bool written) {
    Operand operand = written ? call.output(name, view) : call.input(name, view);
    call.type_is(operand, {DType::f32});
    call.one_element(operand);
    return operand;
}

} // namespace

Placement sgd(const Queue& queue, const TensorView& weights, const TensorView& master, const TensorView& velocity,
              const TensorView& gradient, const SgdOptions& options) {
    const OpCall call(queue, "sgd");
    const Operand w = call.output("weights", weights), m = call.output("master", master),
                  v = call.output("velocity", velocity), g = call.input("gradient", gradient);
    call.storage_type(g);
    call.same_type(w, g);
    call.type_is(m, {DType::f32});
    call.type_is(v, {DType::f32});
    for (const Operand* operand : {&w, &m, &v, &g}) {
        call.contiguous(*operand);
        call.sizes_are(*operand, gradient.sizes(), "as gradient's");
    }
    call.apart_or_same(w, m);
    for (const Operand* other : {&v, &g}) {
        call.apart(w, *other);
        call.apart(m, *other);
    }
    call.apart(v, g);
    SgdShape shape{};
    Operand skip;
    if (options.skip) {
        skip = one_f32(call, "skip", *options.skip, false);
        for (const Operand* written : {&w, &m, &v})
            call.apart(*written, skip);
        shape.has_skip = 1;
    }
    if (gradient.elements() == 0)
        return {};
    shape.count = gradient.elements();
    shape.learning_rate = options.learning_rate;
    shape.momentum = options.momentum;
    shape.weight_decay = options.weight_decay;
    const BuiltinKernel& kernel = builtin_kernel(queue, "optimizer", "sgd", storage_constant(gradient.dtype()));
    const std::int64_t vectors = (shape.count + kernel.vector - 1) / kernel.vector;
    const Split work = split(call.device(), kernel, vectors, kernel.vector);
    shape.count_per_group = work.units_per_group * kernel.vector;
    return Launch(call, kernel)
        .view(w)
        .view(m)
        .view(v)
        .view(g)
        .view_or(skip, m)
        .value(shape)
        .submit(work.groups, work.local);
}

Placement unscale(const Queue& queue, const TensorView& gradient, const TensorView& inverse_scale,
                  const TensorView& found) {
    const OpCall call(queue, "unscale");
    const Operand g = call.output("gradient", gradient), inverse = one_f32(call, "inverse_scale", inverse_scale, false),
                  flag = one_f32(call, "found", found, true);
    call.storage_type(g);
    call.apart(g, inverse);
    call.apart(g, flag);
    call.apart(flag, inverse);
    if (gradient.elements() == 0)
        return {};
    auto layout = collapse<1>(gradient.sizes(), {gradient.strides()});
    const auto inner = layout.take_inner();
    UnscaleShape shape{};
    shape.sizes = layout.sizes;
    shape.strides = layout.strides[0];
    shape.inner = inner.size;
    shape.inner_stride = inner.strides[0];
    shape.rank = layout.rank;
    const BuiltinKernel& kernel = builtin_kernel(queue, "optimizer", "unscale", storage_constant(gradient.dtype()));
    shape.units = layout.elements() * ((shape.inner + kernel.vector - 1) / kernel.vector);
    const Split work = split(call.device(), kernel, shape.units, std::min<std::int64_t>(kernel.vector, shape.inner));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(g).view(inverse).view(flag).value(shape).submit(work.groups, work.local);
}

Placement update_loss_scale(const Queue& queue, const TensorView& scale, const TensorView& inverse_scale,
                            const TensorView& good_steps, const TensorView& found, float growth_interval) {
    const OpCall call(queue, "update_loss_scale");
    const std::array<Operand, 4> all{
        one_f32(call, "scale", scale, true), one_f32(call, "inverse_scale", inverse_scale, true),
        one_f32(call, "good_steps", good_steps, true), one_f32(call, "found", found, true)};
    for (std::size_t i = 0; i < all.size(); i++)
        for (std::size_t j = 0; j < i; j++)
            call.apart(all[i], all[j]);
    if (!(growth_interval >= 1))
        call.fail("growth_interval is " + std::to_string(growth_interval), "It counts steps: use 1 or more.");
    const BuiltinKernel& kernel = builtin_kernel(queue, "optimizer", "update_loss_scale", "T=f32");
    return Launch(call, kernel).view(all[0]).view(all[1]).view(all[2]).view(all[3]).value(growth_interval).submit(1, 1);
}

} // namespace devq::ops
