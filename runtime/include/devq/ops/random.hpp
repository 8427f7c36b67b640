#pragma once
#include <cstdint>
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// Random numbers come from Philox 4x32-10 (Salmon et al. 2011), a function of a key and a counter: nothing is stored,
/// and the same numbers come on every device, whatever its work-groups. Element i of a tensor, counted in row-major
/// order whatever its strides, takes number e = offset + i (modulo 2⁶⁴): the (e mod 4)-th word of the block whose
/// counter is (e / 4, stream), each as two words, the low one first, and whose key is the seed. A tensor of n elements
/// uses n numbers: the next one starts at offset + n.
struct RandomState {
    std::uint64_t seed = 0, offset = 0, stream = 0;
};

/// The words themselves. out: u32, as all results here of any strides and no element at two places.
DEVQ_API Placement random_bits(const Queue& queue, const TensorView& out, const RandomState& state);

/// [0, 1), f32, f16 or bf16: the upper 24, 11 or 8 bits of the word, scaled; exact, the same bits on every device.
DEVQ_API Placement uniform(const Queue& queue, const TensorView& out, const RandomState& state);

struct NormalOptions {
    float mean = 0, deviation = 1;
};
/// Normal distribution, f32, f16 or bf16, by Box and Muller: numbers 2k and 2k + 1 of the sequence make two values
/// mean + deviation · √(-2 ln u) · (cos, sin)(2π v), u = (word + ½) / 2³² rounded to f32, v = word / 2³²; at most 6.8
/// deviations from the mean. Devices differ by a few roundings (docs/accuracy.md).
DEVQ_API Placement normal(const Queue& queue, const TensorView& out, const RandomState& state,
                          const NormalOptions& options = {});

/// 1 with `probability` (0 … 1, rounded to a multiple of 2⁻³²), else 0; f32, f16 or bf16. The same bits everywhere.
DEVQ_API Placement bernoulli(const Queue& queue, const TensorView& out, const RandomState& state, double probability);

/// out = in / (1 - p) where bernoulli() of probability 1 - p and the same state gives 1, else 0, also of a NaN. f32,
/// f16 or bf16, of one type and the same sizes; in place where out and in are the same view. No mask is stored: the
/// gradient takes the same state. 0 ≤ p ≤ 1; 1 makes all 0.
DEVQ_API Placement dropout(const Queue& queue, const TensorView& out, const TensorView& in, const RandomState& state,
                           double p);

/// The gradient of dropout's input, from that of its output: the same scaling, by the mask that `state` makes again.
DEVQ_API Placement dropout_backward(const Queue& queue, const TensorView& in_gradient, const TensorView& out_gradient,
                                    const RandomState& state, double p);

} // namespace devq::ops
