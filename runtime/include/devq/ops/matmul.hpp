#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace devq::ops {

/// As the functions of that name in elementwise.hpp: relu propagates NaN, gelu is the erf form.
enum class Activation { none, relu, gelu, gelu_tanh, silu };
DEVQ_API std::string_view to_string(Activation activation) noexcept;

struct MatmulOptions {
    bool transpose_a = false; ///< use the last two axes of `a` swapped
    bool transpose_b = false;
    /// Length n, added to every row before the activation; dtype of out.
    std::optional<TensorView> bias{};
    Activation activation = Activation::none;
    /// 0 reads neither a nor b.
    float alpha = 1;
    /// 0 does not read c, whatever lies there.
    float beta = 0;
    /// What beta multiplies: out itself where this is absent. dtype of out; broadcasts to its sizes. It is out, all of
    /// its elements at the same places, or apart from it.
    std::optional<TensorView> c{};
    Path path = Path::automatic;
    /// A vendor's library may round f32 operands to TF32 (ten bits of fraction): faster, and far less exact.
    bool tf32 = false;
    /// A vendor's relu may give 0 for NaN: it need not be a kernel of its own then.
    bool relu_may_drop_nan = false;
};

/// out[..., m, n] = activation(alpha · a[..., m, k] · b[..., k, n] + beta · c[..., m, n] + bias[n]). a and b are both
/// f32, f16 or bf16; out is of their type or f32. Accumulated in f32, and rounded to out's type once, at the end. Ranks
/// 2 to 8; leading axes are batches, which broadcast for a and b. Any row and batch strides, and either of the last two
/// axes may have any stride. k = 0 leaves out the product. out overlaps neither a, b nor bias. Deterministic.
DEVQ_API Placement matmul(const Queue& queue, const TensorView& out, const TensorView& a, const TensorView& b,
                          const MatmulOptions& options = {});

/// outs[i] = the same of as[i] and bs[i], for lists of one length: all outs are of one type and one shape, and so are
/// the as and the bs; bias, and c where it is given, are the same for all. No out overlaps another one or any input.
/// Equally distant views of one buffer each (slices of one tensor, or one view again and again) are one product with
/// one batch axis more, and run as that. Else, where there is neither bias, activation nor c, a vendor's library may
/// take a list of addresses: Placement::path says "cublas" then. Else each product is a command of its own, and
/// Placement::variant "a launch each". Nothing is queued where the lists are empty.
DEVQ_API Placement matmul_batch(const Queue& queue, std::span<const TensorView> outs, std::span<const TensorView> as,
                                std::span<const TensorView> bs, const MatmulOptions& options = {});

} // namespace devq::ops
