#include "network.hpp"
#include <cmath>
#include <random>
#include <span>

namespace digits {
namespace {

namespace ops = devq::ops;
using devq::DType;
using devq::Tensor;
using devq::TensorView;

TensorView first_rows(const Tensor& tensor, std::int64_t rows) { return tensor.view().sliced(0, 0, rows); }

} // namespace

Network::Network(const devq::Queue& queue, DType storage, const std::vector<std::int64_t>& widths,
                 std::int64_t max_rows)
    : queue_(queue), storage_(storage) {
    const devq::Device device = queue.device();
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        layers_.push_back({make_parameter({widths[i], widths[i + 1]}), make_parameter({widths[i + 1]}),
                           Tensor(device, storage, {max_rows, widths[i + 1]}),
                           Tensor(device, storage, {max_rows, widths[i + 1]})});
    }
    for (Tensor* tensor :
         {&loss_scale_.scale, &loss_scale_.inverse, &loss_scale_.good_steps, &loss_scale_.found_overflow})
        *tensor = Tensor(device, DType::f32, {1});
}

Network::Parameter Network::make_parameter(const devq::Dims& sizes) const {
    const devq::Device device = queue_.device();
    Parameter parameter;
    parameter.master = Tensor(device, DType::f32, sizes);
    parameter.velocity = Tensor(device, DType::f32, sizes);
    parameter.gradient = Tensor(device, storage_, sizes);
    parameter.value = storage_ == DType::f32 ? parameter.master : Tensor(device, storage_, sizes);
    return parameter;
}

void Network::initialise(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (const Layer& layer : layers_) {
        const float bound = 1.0f / std::sqrt(static_cast<float>(layer.weights.value.sizes()[0]));
        std::uniform_real_distribution<float> uniform(-bound, bound);
        for (const Parameter* parameter : {&layer.weights, &layer.bias}) {
            std::vector<float> values(static_cast<std::size_t>(parameter->master.elements()));
            for (float& value : values)
                value = uniform(random);
            queue_.write(parameter->master.buffer(), std::span<const float>(values));
            if (storage_ != DType::f32)
                ops::cast(queue_, parameter->value, parameter->master);
            ops::fill(queue_, parameter->velocity, 0.0);
        }
    }
    // The first scale is large on purpose: the first steps that overflow are skipped, each halving it.
    const double scale = 65536.0;
    ops::fill(queue_, loss_scale_.scale, scale);
    ops::fill(queue_, loss_scale_.inverse, 1.0 / scale);
    ops::fill(queue_, loss_scale_.good_steps, 0.0);
    ops::fill(queue_, loss_scale_.found_overflow, 0.0);
}

TensorView Network::forward(const TensorView& x) {
    TensorView input = x;
    for (const Layer& layer : layers_) {
        ops::MatmulOptions options;
        options.bias = layer.bias.value;
        options.activation = &layer == &layers_.back() ? ops::Activation::none : ops::Activation::relu;
        const TensorView output = first_rows(layer.output, x.size(0));
        ops::matmul(queue_, output, input, layer.weights.value, options);
        input = output;
    }
    return input;
}

void Network::train(const TensorView& x, const TensorView& labels, const TensorView& loss, float learning_rate,
                    float momentum) {
    const TensorView logits = forward(x);

    // The gradient of the mean loss over the batch, times the loss scale.
    ops::CrossEntropyOptions loss_options;
    loss_options.gradient = first_rows(layers_.back().output_gradient, x.size(0));
    loss_options.scale = 1.0f / static_cast<float>(x.size(0));
    if (storage_ == DType::f16)
        loss_options.scale_factor = loss_scale_.scale;
    ops::softmax_cross_entropy(queue_, loss, logits, labels, loss_options);
    backward(x);

    ops::SgdOptions options;
    options.learning_rate = learning_rate;
    options.momentum = momentum;
    if (storage_ == DType::f16) {
        // Every gradient is looked at before the first weight moves: the step happens whole or not at all.
        for (const Layer& layer : layers_) {
            ops::unscale(queue_, layer.weights.gradient, loss_scale_.inverse, loss_scale_.found_overflow);
            ops::unscale(queue_, layer.bias.gradient, loss_scale_.inverse, loss_scale_.found_overflow);
        }
        options.skip = loss_scale_.found_overflow;
    }
    for (const Layer& layer : layers_) {
        update(layer.weights, options);
        update(layer.bias, options);
    }
    if (storage_ == DType::f16)
        ops::update_loss_scale(queue_, loss_scale_.scale, loss_scale_.inverse, loss_scale_.good_steps,
                               loss_scale_.found_overflow);
}

void Network::backward(const TensorView& x) {
    ops::MatmulOptions transposed_a, transposed_b;
    transposed_a.transpose_a = true;
    transposed_b.transpose_b = true;
    for (std::size_t i = layers_.size(); i-- > 0;) {
        const Layer& layer = layers_[i];
        const TensorView gradient = first_rows(layer.output_gradient, x.size(0));
        const TensorView input = i == 0 ? x : first_rows(layers_[i - 1].output, x.size(0));
        ops::matmul(queue_, layer.weights.gradient, input, gradient, transposed_a);
        ops::reduce(queue_, ops::Reduction::sum, layer.bias.gradient, gradient, 0);
        if (i > 0) {
            const TensorView below = first_rows(layers_[i - 1].output_gradient, x.size(0));
            ops::matmul(queue_, below, gradient, layer.weights.value, transposed_b);
            ops::binary(queue_, ops::Binary::relu_backward, below, below, input);
        }
    }
}

void Network::update(const Parameter& parameter, const ops::SgdOptions& options) {
    ops::sgd(queue_, parameter.value, parameter.master, parameter.velocity, parameter.gradient, options);
}

} // namespace digits
