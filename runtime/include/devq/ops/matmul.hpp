#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>
#include <string_view>

namespace devq::ops {

enum class Activation { none, relu, gelu };
DEVQ_API std::string_view to_string(Activation activation) noexcept;

struct MatmulOptions {
    bool transpose_a = false; ///< use the last two axes of `a` swapped
    bool transpose_b = false;
    /// Length n, added to every row before the activation; dtype of out.
    std::optional<TensorView> bias{};
    Activation activation = Activation::none;
    Path path = Path::automatic;
    /// A vendor's library may round f32 operands to TF32 (ten bits of fraction): faster, and far less exact.
    bool tf32 = false;
    /// A vendor's relu may give 0 for NaN: it need not be a kernel of its own then.
    bool relu_may_drop_nan = false;
};

/// out[..., m, n] = activation(a[..., m, k] · b[..., k, n] + bias[n]). f32, f16 or bf16, all of one type; accumulated
/// in f32. Ranks 2 to 8; leading axes are batches, which broadcast for a and b. Any row and batch strides, and either
/// of the last two axes may have any stride. k = 0 gives activation(bias) or activation(0). out overlaps neither input.
/// gelu is the erf form.
DEVQ_API Placement matmul(const Queue& queue, const TensorView& out, const TensorView& a, const TensorView& b,
                          const MatmulOptions& options = {});

} // namespace devq::ops
