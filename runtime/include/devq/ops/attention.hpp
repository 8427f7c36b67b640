#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>
#include <string_view>

namespace devq::ops {

/// Which keys a query may see, beside the mask. top_left: key j ≤ query i, as PyTorch's is_causal. bottom_right:
/// j ≤ i + keys - queries, so that the last query sees all keys: what a query with a cache of earlier keys needs.
enum class Causal { none, top_left, bottom_right };
DEVQ_API std::string_view to_string(Causal causal) noexcept;

struct AttentionOptions {
    std::optional<float> scale{}; ///< 1/√head_dim where none is given
    Causal causal = Causal::none;
    /// Broadcasts to [batch, heads, queries, keys]. u8: only keys with a value other than 0 are seen. f32 or q's type:
    /// added to the scores. It gets no gradient.
    std::optional<TensorView> mask{};
};

/// Scaled dot-product attention: out = softmax(scale · q · kᵀ + mask) · v, without the score matrix in memory.
/// q[batch, heads, queries, head_dim], k[batch, kv_heads, keys, head_dim], v[batch, kv_heads, keys, value_dim],
/// out[batch, heads, queries, value_dim]: f32, f16 or bf16, all of one type; f32 inside. Any sizes and strides, but the
/// last axis of each is contiguous (stride 1). kv_heads divides heads: query head h reads head h · kv_heads / heads of
/// k and v. log_sum_exp (f32[batch, heads, queries], any strides), where given, receives max + log Σ exp(score - max)
/// of each row, which attention_backward() needs. Nothing is in place.
///
/// A row all of whose scores are -inf, masked or not, and one without keys gives 0 (as PyTorch since 2.5) and a
/// log_sum_exp of -inf. A score of NaN or +inf makes its row NaN, except where causal or a u8 mask hides it. v is
/// multiplied by 0 where it is hidden: NaN or infinity in it may show. The same bits on every run of a device.
/// Online softmax over blocks of keys: Milakov and Gimelshein, arXiv:1805.02867; Dao et al., arXiv:2205.14135.
DEVQ_API Placement attention(const Queue& queue, const TensorView& out, const TensorView& q, const TensorView& k,
                             const TensorView& v, const AttentionOptions& options = {},
                             const std::optional<TensorView>& log_sum_exp = {});

/// What is to be written: each of its operand's type and sizes, last axis contiguous.
struct AttentionGradients {
    std::optional<TensorView> q{}, k{}, v{};
};

/// Gradients of attention() from that of out. out and log_sum_exp are what attention() gave for the same q, k, v and
/// options. Scores are computed again, block by block; every sum has a fixed order (no atomics). A row that saw nothing
/// contributes 0. A block of f32[batch, heads, queries] is taken from the device's pool meanwhile.
DEVQ_API Placement attention_backward(const Queue& queue, const AttentionGradients& gradients,
                                      const TensorView& out_gradient, const TensorView& q, const TensorView& k,
                                      const TensorView& v, const TensorView& out, const TensorView& log_sum_exp,
                                      const AttentionOptions& options = {});

} // namespace devq::ops
