#include "launch.hpp"
#include <cmath>
#include <devq/ops/optimizer.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct sgd_options of kernels/optimizer.cl
struct SgdShape {
    std::int64_t count, count_per_group;
    float learning_rate, momentum, weight_decay;
    std::int32_t has_skip, nesterov, unused;
};

/// struct adam_options of kernels/optimizer.cl
struct AdamShape {
    std::int64_t count, count_per_group;
    float rate, decay, keep;
    float beta1, rest1, beta2, rest2, epsilon;
    float log_beta1, log_beta2;
    float step_size, root_scale;
    std::int32_t has_skip, has_steps;
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

void check(const OpCall& call, const char* name, double value, bool right, const char* range) {
    if (!right)
        call.fail(std::string(name) + " is " + std::to_string(value), std::string("Use ") + range + ".");
}

/// Weights with their f32 master copy, f32 state and gradient: types, sizes, overlap.
void check_parameter(const OpCall& call, const Operand& weights, const Operand& master,
                     std::initializer_list<const Operand*> state, const Operand& gradient) {
    call.storage_type(gradient);
    call.same_type(weights, gradient);
    const auto shaped = [&](const Operand& operand) {
        call.contiguous(operand);
        call.sizes_are(operand, gradient->sizes(), "as gradient's");
    };
    call.type_is(master, {DType::f32});
    for (const Operand* operand : state)
        call.type_is(*operand, {DType::f32});
    for (const Operand* operand : {&weights, &master, &gradient})
        shaped(*operand);
    for (const Operand* operand : state)
        shaped(*operand);
    call.apart_or_same(weights, master);
    for (const Operand* written : {&weights, &master})
        call.apart(*written, gradient);
    for (const Operand* operand : state) {
        for (const Operand* other : {&weights, &master, &gradient})
            call.apart(*operand, *other);
        for (const Operand* other : state)
            if (other != operand)
                call.apart(*operand, *other);
    }
}

Placement adam_update(const Queue& queue, const char* name, bool decoupled, const TensorView& weights,
                      const TensorView& master, const TensorView& first, const TensorView& second,
                      const TensorView& gradient, const AdamOptions& options) {
    const OpCall call(queue, name);
    const Operand w = call.output("weights", weights), m = call.output("master", master),
                  f = call.output("first", first), s = call.output("second", second),
                  g = call.input("gradient", gradient);
    check_parameter(call, w, m, {&f, &s}, g);
    AdamShape shape{};
    Operand skip, steps;
    if (options.skip) {
        skip = one_f32(call, "skip", *options.skip, false);
        shape.has_skip = 1;
    }
    if (options.steps) {
        steps = call.input("steps", *options.steps);
        call.type_is(steps, {DType::i32});
        call.one_element(steps);
        shape.has_steps = 1;
    }
    for (const Operand* written : {&w, &m, &f, &s})
        for (const Operand* read : {&skip, &steps})
            if (read->view != nullptr)
                call.apart(*written, *read);
    for (const auto& [label, beta] : {std::pair{"beta1", options.beta1}, std::pair{"beta2", options.beta2}})
        check(call, label, beta, beta >= 0 && beta < 1, "0 or more, and less than 1");
    check(call, "epsilon", options.epsilon, options.epsilon >= 0, "0 or more");
    check(call, "step", static_cast<double>(options.step), options.steps || options.step >= 1,
          "1 for the first update, then 2, and so on");
    if (gradient.elements() == 0)
        return {};
    const double step = static_cast<double>(options.step);
    shape.count = gradient.elements();
    shape.rate = static_cast<float>(options.learning_rate);
    shape.decay = static_cast<float>(decoupled ? 0 : options.weight_decay);
    shape.keep = static_cast<float>(decoupled ? 1 - options.learning_rate * options.weight_decay : 1);
    shape.beta1 = static_cast<float>(options.beta1);
    shape.rest1 = static_cast<float>(1 - options.beta1);
    shape.beta2 = static_cast<float>(options.beta2);
    shape.rest2 = static_cast<float>(1 - options.beta2);
    shape.epsilon = static_cast<float>(options.epsilon);
    shape.log_beta1 = static_cast<float>(std::log(options.beta1));
    shape.log_beta2 = static_cast<float>(std::log(options.beta2));
    shape.step_size = static_cast<float>(options.learning_rate / (1 - std::pow(options.beta1, step)));
    shape.root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(options.beta2, step)));
    const BuiltinKernel& kernel = builtin_kernel(queue, "optimizer", "adam", storage_constant(gradient.dtype()));
    const std::int64_t vectors = (shape.count + kernel.vector - 1) / kernel.vector;
    const Split work = split(call.device(), kernel, vectors, 2 * kernel.vector);
    shape.count_per_group = work.units_per_group * kernel.vector;
    return Launch(call, kernel)
        .view(w)
        .view(m)
        .view(f)
        .view(s)
        .view(g)
        .view_or(skip, m)
        .view_or(steps, m)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace

Placement sgd(const Queue& queue, const TensorView& weights, const TensorView& master, const TensorView& velocity,
              const TensorView& gradient, const SgdOptions& options) {
    const OpCall call(queue, "sgd");
    const Operand w = call.output("weights", weights), m = call.output("master", master),
                  v = call.output("velocity", velocity), g = call.input("gradient", gradient);
    check_parameter(call, w, m, {&v}, g);
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
    shape.nesterov = options.nesterov ? 1 : 0;
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

Placement adam(const Queue& queue, const TensorView& weights, const TensorView& master, const TensorView& first,
               const TensorView& second, const TensorView& gradient, const AdamOptions& options) {
    return adam_update(queue, "adam", false, weights, master, first, second, gradient, options);
}

Placement adamw(const Queue& queue, const TensorView& weights, const TensorView& master, const TensorView& first,
                const TensorView& second, const TensorView& gradient, const AdamOptions& options) {
    return adam_update(queue, "adamw", true, weights, master, first, second, gradient, options);
}

Placement count_step(const Queue& queue, const TensorView& steps, const std::optional<TensorView>& skip) {
    const OpCall call(queue, "count_step");
    const Operand count = call.output("steps", steps);
    call.type_is(count, {DType::i32});
    call.one_element(count);
    Operand flag;
    if (skip) {
        flag = one_f32(call, "skip", *skip, false);
        call.apart(count, flag);
    }
    const std::int32_t has_skip = skip ? 1 : 0;
    const BuiltinKernel& kernel = builtin_kernel(queue, "optimizer", "count_step", "T=f32");
    return Launch(call, kernel).view(count).view_or(flag, count).value(has_skip).submit(1, 1);
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
