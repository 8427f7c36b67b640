#pragma once
#include <cstdint>
#include <devq/devq.hpp>
#include <vector>

namespace digits {

/// A fully connected network with ReLU between its layers, trained by stochastic gradient descent with momentum; all of
/// it lives on one device. Weights, activations and gradients are stored as `storage`; the optimiser works on f32
/// master copies. With f16 the loss is scaled so that small gradients do not vanish, and a step whose gradients
/// overflow is skipped: the device decides that by itself, so that nothing here ever waits for it.
class Network {
public:
    /// `widths`: inputs, hidden layers, classes. `max_rows`: the most rows that forward() is given.
    Network(const devq::Queue& queue, devq::DType storage, const std::vector<std::int64_t>& widths,
            std::int64_t max_rows);

    /// Weights and biases uniform in ±1/√inputs; momentum and loss scale as at the start.
    void initialise(std::uint64_t seed);

    /// The logits [rows, classes] of x [rows, inputs]: valid until the next call.
    devq::TensorView forward(const devq::TensorView& x);

    /// One step on a batch; the loss of each of its rows goes to `loss` (f32[rows]).
    void train(const devq::TensorView& x, const devq::TensorView& labels, const devq::TensorView& loss,
               float learning_rate, float momentum);

private:
    struct Parameter {
        devq::Tensor value, gradient;  ///< storage type
        devq::Tensor master, velocity; ///< f32; with f32 storage value and master are the same tensor
    };
    struct Layer {
        Parameter weights, bias;
        devq::Tensor output, output_gradient; ///< [max_rows, width]
    };
    /// What dynamic loss scaling keeps; f32[1] each.
    struct LossScale {
        devq::Tensor scale, inverse, good_steps, found_overflow;
    };

    Parameter make_parameter(const devq::Dims& sizes) const;
    void backward(const devq::TensorView& x);
    void update(const Parameter& parameter, const devq::ops::SgdOptions& options);

    devq::Queue queue_;
    devq::DType storage_;
    std::vector<Layer> layers_;
    LossScale loss_scale_;
};

} // namespace digits
