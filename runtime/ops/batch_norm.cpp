#include "launch.hpp"
#include <bit>
#include <cmath>
#include <devq/ops/batch_norm.hpp>
#include <span>

namespace devq::ops {

using namespace detail;

namespace {

/// struct batch_norm_shape of kernels/batch_norm.cl
struct BatchNormShape {
    std::array<std::int64_t, max_rank> sizes;
    std::array<std::array<std::int64_t, max_rank>, 3> strides;
    std::int64_t channels;
    std::array<std::int64_t, 3> channel;
    std::int64_t inner;
    std::array<std::int64_t, 3> along;
    std::int64_t rows, units, units_per_group;
    float epsilon, momentum;
    std::int32_t rank, across, lanes, has_gamma, has_beta, has_running, is_variance, unused;
};

/// What is one for each channel.
Operand channel_input(const OpCall& call, const char* name, const TensorView& view, std::int64_t channels) {
    const Operand operand = call.input(name, view);
    call.type_is(operand, {DType::f32});
    call.sizes_are(operand, Dims{channels}, "one for each channel");
    call.contiguous(operand);
    return operand;
}
Operand channel_output(const OpCall& call, const char* name, const TensorView& view, std::int64_t channels) {
    channel_input(call, name, view, channels);
    return call.output(name, view);
}
Operand channel_option(const OpCall& call, const char* name, const std::optional<TensorView>& view,
                       std::int64_t channels) {
    return view ? channel_input(call, name, *view, channels) : Operand{};
}

Operand activations(const OpCall& call, const char* name, const TensorView& view) {
    const Operand operand = call.input(name, view);
    call.storage_type(operand);
    if (view.rank() < 2)
        call.fail(std::string(name) + " is " + view.text() + ": it has no axis of channels",
                  "Pass [images, channels] with any further axes.");
    return operand;
}

void check_epsilon(const OpCall& call, float epsilon) {
    if (!(epsilon >= 0 && std::isfinite(epsilon)))
        call.fail("epsilon is " + std::to_string(epsilon), "Use a small number of at least 0, such as 1e-5.");
}

Dims without_channel(const Dims& values) {
    std::array<std::int64_t, max_rank> list{};
    std::size_t count = 0;
    for (int d = 0; d < values.rank(); d++)
        if (d != 1)
            list[count++] = values[d];
    return Dims(std::span<const std::int64_t>(list).first(count));
}

/// How the elements of the channels are walked. Views that a kernel does not have repeat another.
BatchNormShape shape_of(const TensorView& a, const TensorView& b, const TensorView& c) {
    BatchNormShape shape{};
    auto layout = collapse<3>(without_channel(b.sizes()), {without_channel(b.strides()), without_channel(a.strides()),
                                                           without_channel(c.strides())});
    const auto inner = layout.take_inner();
    shape.inner = inner.size;
    shape.along = {inner.strides[1], inner.strides[0], inner.strides[2]};
    shape.sizes = layout.sizes;
    shape.strides = {layout.strides[1], layout.strides[0], layout.strides[2]};
    shape.rank = layout.rank;
    shape.rows = layout.elements();
    shape.channels = b.size(1);
    shape.channel = {a.stride(1), b.stride(1), c.stride(1)};
    const auto all_one = [](const std::array<std::int64_t, 3>& strides) {
        return strides == std::array<std::int64_t, 3>{1, 1, 1};
    };
    shape.across = all_one(shape.channel) && (shape.inner == 1 || !all_one(shape.along)) ? 1 : 0;
    return shape;
}

constexpr std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Units are channels for sums over them, else those of every row.
Split share_out(const OpCall& call, const BuiltinKernel& kernel, BatchNormShape& shape, bool whole_channels) {
    const std::int64_t pieces = shape.across ? up(shape.channels, kernel.vector) : shape.channels;
    const std::int64_t steps = shape.across ? shape.inner : up(shape.inner, kernel.vector);
    const std::int64_t width = whole_channels ? steps * shape.rows : steps;
    shape.units = whole_channels ? pieces : pieces * shape.rows;
    const Split work = split(call.device(), kernel, shape.units, 2 * width * kernel.vector, true, width);
    shape.units_per_group = work.units_per_group;
    shape.lanes = static_cast<std::int32_t>(
        std::min<std::uint64_t>(work.local, std::bit_floor(static_cast<std::uint64_t>(steps))));
    return work;
}

Placement apply(const OpCall& call, const Operand& target, const Operand& source, const Operand& mean,
                const Operand& spread, bool is_variance, const BatchNormOptions& options) {
    const Operand gamma = channel_option(call, "gamma", options.gamma, source->size(1)),
                  beta = channel_option(call, "beta", options.beta, source->size(1));
    BatchNormShape shape = shape_of(*target, *source, *source);
    shape.epsilon = options.epsilon;
    shape.has_gamma = options.gamma ? 1 : 0;
    shape.has_beta = options.beta ? 1 : 0;
    shape.is_variance = is_variance ? 1 : 0;
    const BuiltinKernel& kernel =
        builtin_kernel(call.queue(), "batch_norm", "batch_norm_apply", storage_constant(source->dtype()));
    const Split work = share_out(call, kernel, shape, false);
    return Launch(call, kernel)
        .view(target)
        .view(source)
        .view(mean)
        .view(spread)
        .view_or(gamma, mean)
        .view_or(beta, mean)
        .value(shape)
        .submit(work.groups, work.local);
}

/// What batch_norm and batch_norm_training check alike.
void check_forward(const OpCall& call, const Operand& target, const Operand& source, const BatchNormOptions& options) {
    call.same_type(source, target);
    call.sizes_are(source, target->sizes(), "as out's");
    call.apart_or_same(target, source);
    check_epsilon(call, options.epsilon);
    for (const auto& [name, view] : {std::pair("gamma", &options.gamma), std::pair("beta", &options.beta)})
        if (*view)
            call.apart(target, channel_input(call, name, **view, source->size(1)));
}

} // namespace

Placement batch_norm(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& mean,
                     const TensorView& variance, const BatchNormOptions& options) {
    const OpCall call(queue, "batch_norm");
    const Operand target = call.output("out", out), source = activations(call, "in", in);
    const Operand means = channel_input(call, "mean", mean, in.size(1)),
                  variances = channel_input(call, "variance", variance, in.size(1));
    check_forward(call, target, source, options);
    call.apart(target, means);
    call.apart(target, variances);
    if (out.elements() == 0)
        return {};
    return apply(call, target, source, means, variances, true, options);
}

Placement batch_norm_training(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& mean,
                              const TensorView& inverse_deviation, const BatchNormTraining& options) {
    const OpCall call(queue, "batch_norm_training");
    const Operand target = call.output("out", out), source = activations(call, "in", in);
    const std::int64_t channels = in.size(1);
    const Operand means = channel_output(call, "mean", mean, channels),
                  inverses = channel_output(call, "inverse_deviation", inverse_deviation, channels);
    check_forward(call, target, source, options);
    if (options.running_mean.has_value() != options.running_variance.has_value())
        call.fail("there is only one of running_mean and running_variance", "Pass both or neither.");
    if (!(options.momentum >= 0 && options.momentum <= 1))
        call.fail("momentum is " + std::to_string(options.momentum), "Use a number from 0 to 1, such as 0.1.");
    std::array<Operand, 2> running{};
    if (options.running_mean)
        running = {channel_output(call, "running_mean", *options.running_mean, channels),
                   channel_output(call, "running_variance", *options.running_variance, channels)};
    const std::array<const Operand*, 5> written{&target, &means, &inverses, &running[0], &running[1]};
    const std::size_t count = options.running_mean ? 5 : 3;
    for (std::size_t i = 1; i < count; i++) {
        for (std::size_t j = 0; j < i; j++)
            call.apart(*written[i], *written[j]);
        call.apart(*written[i], source);
        for (const auto& [name, view] : {std::pair("gamma", &options.gamma), std::pair("beta", &options.beta)})
            if (*view)
                call.apart(*written[i], channel_input(call, name, **view, channels));
    }
    if (channels == 0)
        return {};
    BatchNormShape shape = shape_of(in, in, in);
    const std::int64_t each = in.elements() / channels;
    if (each == 0)
        call.fail("in is " + in.text() + ": a channel has no elements, and so no mean", "Pass at least one image.");
    if (each == 1 && options.running_mean)
        call.fail("in is " + in.text() + ": running_variance divides by the elements of a channel less one, which is 0",
                  "Pass more than one element a channel, or leave the running statistics out.");
    shape.epsilon = options.epsilon;
    shape.momentum = options.momentum;
    shape.has_running = options.running_mean ? 1 : 0;
    const BuiltinKernel& kernel =
        builtin_kernel(queue, "batch_norm", "batch_norm_statistics", storage_constant(in.dtype()));
    const Split work = share_out(call, kernel, shape, true);
    Launch(call, kernel)
        .view(source)
        .view(means)
        .view(inverses)
        .view_or(running[0], means)
        .view_or(running[1], means)
        .value(shape)
        .submit(work.groups, work.local);
    return apply(call, target, source, means, inverses, false, options);
}

Placement batch_norm_backward(const Queue& queue, const TensorView& in_gradient, const TensorView& gamma_gradient,
                              const TensorView& beta_gradient, const TensorView& out_gradient, const TensorView& in,
                              const TensorView& mean, const TensorView& inverse_deviation,
                              const std::optional<TensorView>& gamma) {
    const OpCall call(queue, "batch_norm_backward");
    const Operand target = call.output("in_gradient", in_gradient), source = activations(call, "in", in),
                  gradient = call.input("out_gradient", out_gradient);
    const std::int64_t channels = in.size(1);
    const Operand gammas = channel_output(call, "gamma_gradient", gamma_gradient, channels),
                  betas = channel_output(call, "beta_gradient", beta_gradient, channels),
                  means = channel_input(call, "mean", mean, channels),
                  inverses = channel_input(call, "inverse_deviation", inverse_deviation, channels),
                  factor = channel_option(call, "gamma", gamma, channels);
    for (const Operand* other : {&target, &gradient}) {
        call.same_type(*other, source);
        call.sizes_are(*other, in.sizes(), "as in's");
    }
    call.apart_or_same(target, source);
    call.apart_or_same(target, gradient);
    call.apart(gammas, betas);
    for (const Operand* written : {&target, &gammas, &betas}) {
        call.apart(*written, means);
        call.apart(*written, inverses);
        if (gamma)
            call.apart(*written, factor);
    }
    for (const Operand* sums : {&gammas, &betas})
        for (const Operand* other : {&target, &source, &gradient})
            call.apart(*sums, *other);
    if (channels == 0)
        return {};
    if (in.elements() == 0)
        call.fail("in is " + in.text() + ": a channel has no elements", "Pass at least one image.");
    BatchNormShape shape = shape_of(in_gradient, in, out_gradient);
    shape.has_gamma = gamma ? 1 : 0;
    const std::string_view constants = storage_constant(in.dtype());
    const BuiltinKernel& sums = builtin_kernel(queue, "batch_norm", "batch_norm_sums", constants);
    Split work = share_out(call, sums, shape, true);
    Launch(call, sums)
        .view(gradient)
        .view(source)
        .view(means)
        .view(inverses)
        .view(gammas)
        .view(betas)
        .value(shape)
        .submit(work.groups, work.local);
    const BuiltinKernel& kernel = builtin_kernel(queue, "batch_norm", "batch_norm_backward", constants);
    work = share_out(call, kernel, shape, false);
    return Launch(call, kernel)
        .view(target)
        .view(gradient)
        .view(source)
        .view(means)
        .view(inverses)
        .view_or(factor, means)
        .view(gammas)
        .view(betas)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace devq::ops
