#include "launch.hpp"
#include "tiles.hpp"
#include "vendor.hpp"
#include <devq/ops/elementwise.hpp>
#include <devq/ops/matmul.hpp>
#include <utility>

namespace devq {

detail::Follower detail::follower(ops::Activation activation) noexcept {
    using ops::Unary;
    switch (activation) {
    case ops::Activation::relu:
        return {Unary::relu, "then relu", "bias first, then relu"};
    case ops::Activation::gelu_tanh:
        return {Unary::gelu_tanh, "then gelu_tanh", "bias first, then gelu_tanh"};
    case ops::Activation::silu:
        return {Unary::silu, "then silu", "bias first, then silu"};
    default:
        return {Unary::gelu, "then gelu", "bias first, then gelu"};
    }
}

namespace ops {

using namespace detail;

namespace {

/// struct matmul_shape of kernels/matmul.cl
constexpr int max_batch_rank = max_rank - 2;
using BatchDims = std::array<std::int64_t, max_batch_rank>;
struct MatmulShape {
    std::int64_t m, n, k;
    std::int64_t a_row, a_column, b_row, b_column, c_row, c_column, out_row, out_column, bias_row, bias_column;
    BatchDims batch_sizes, a_batch, b_batch, c_batch, out_batch;
    std::int64_t blocks_m, blocks_n, units, units_per_group;
    std::int32_t batch_rank, block_m, block_n, has_bias, has_c, activation;
    float alpha, beta;
};

/// The batch axes of an operand, for out's batch sizes.
Dims batch_strides(const OpCall& call, const Operand& operand, const Operand& out) {
    const int extra = out->rank() - operand->rank(), axes = out->rank() - 2;
    bool fits = extra >= 0;
    Dims strides = Dims::filled(axes, 0);
    for (int d = 0; fits && d < operand->rank() - 2; d++) {
        const std::int64_t size = operand->size(d);
        fits = size == out->size(d + extra) || size == 1;
        strides[d + extra] = size == 1 ? 0 : operand->stride(d);
    }
    if (!fits)
        call.fail(std::string(operand.name) + " is " + operand->text() + " and out " + out->text() +
                      ": its leading (batch) sizes do not broadcast to out's",
                  "Each must equal out's, counted from the right, or be 1.");
    return strides;
}

/// @param strides of out, a, b and c
void set_batches(MatmulShape& shape, const Dims& sizes, const std::array<Dims, 4>& strides) {
    const Layout<4> layout = collapse<4>(sizes, strides);
    shape.batch_rank = layout.rank;
    for (std::size_t d = 0; d < max_batch_rank; d++) {
        shape.batch_sizes[d] = layout.sizes[d];
        shape.out_batch[d] = layout.strides[0][d];
        shape.a_batch[d] = layout.strides[1][d];
        shape.b_batch[d] = layout.strides[2][d];
        shape.c_batch[d] = layout.strides[3][d];
    }
    // One b for all, and the batches continue the rows of the others: a taller matrix instead.
    const auto last = static_cast<std::size_t>(std::max(layout.rank, 1) - 1);
    if (layout.rank > 0 && shape.b_batch[last] == 0 && continues(shape.a_batch[last], shape.a_row, shape.m) &&
        continues(shape.out_batch[last], shape.out_row, shape.m) &&
        (shape.has_c == 0 || continues(shape.c_batch[last], shape.c_row, shape.m))) {
        shape.m *= shape.batch_sizes[last];
        shape.batch_rank--;
    }
}

/// out = a · b is outᵀ = bᵀ · aᵀ (the operands change places, too): for a kernel that writes rows.
void transpose(MatmulShape& shape) {
    std::swap(shape.m, shape.n);
    std::swap(shape.a_batch, shape.b_batch);
    std::swap(shape.out_row, shape.out_column);
    std::swap(shape.c_row, shape.c_column);
    std::swap(shape.a_row, shape.b_column);
    std::swap(shape.a_column, shape.b_row);
    std::swap(shape.bias_row, shape.bias_column);
}

struct Operands {
    const Operand &out, &a, &b, &c, &bias;
};

/// By the vendor's library, with an activation that is not its own by a kernel of ours. Null: take the portable path.
std::optional<Placement> by_vendor(const OpCall& call, const MatmulShape& shape, const Operands& operands,
                                   const MatmulOptions& options) {
    const VendorPath vendor(call, options.path);
    if (!vendor.wanted())
        return std::nullopt;
    const DType type = operands.a->dtype(), out_type = operands.out->dtype();
    // The kernel that comes after reads what was rounded to the storage type. That is no loss for relu, nor in f32.
    const bool by_erf = options.activation == Activation::gelu;
    if ((by_erf || options.activation == Activation::silu) && out_type != DType::f32)
        return vendor.refuse("libraries have no " + std::string(by_erf ? "gelu by erf" : "silu") +
                             ", and one that comes after them sees the product rounded to " +
                             std::string(to_string(out_type)));
    if (shape.k == 0)
        return vendor.refuse("libraries take no sum over nothing (k or alpha is 0)");
    backend::MatmulDescription what;
    const auto batch_axes = [&](const BatchDims& axes) {
        BatchDims used{};
        std::copy_n(axes.begin(), shape.batch_rank, used.begin());
        return used;
    };
    const auto matrix = [&](const Operand& operand, std::int64_t row, std::int64_t column, const BatchDims& batch) {
        return backend::MatmulDescription::Matrix{operand->dtype(), row, column, batch_axes(batch),
                                                  VendorPath::alignment(operand)};
    };
    what.m = shape.m;
    what.n = shape.n;
    what.k = shape.k;
    what.a = matrix(operands.a, shape.a_row, shape.a_column, shape.a_batch);
    what.b = matrix(operands.b, shape.b_row, shape.b_column, shape.b_batch);
    what.out = matrix(operands.out, shape.out_row, shape.out_column, shape.out_batch);
    what.accumulate = shape.has_c != 0;
    if (what.accumulate)
        what.c = matrix(operands.c, shape.c_row, shape.c_column, shape.c_batch);
    what.batch_rank = shape.batch_rank;
    what.batch_sizes = batch_axes(shape.batch_sizes);
    what.compute = options.tf32 && type == DType::f32 ? backend::Compute::tf32 : backend::Compute::f32;
    what.bias = shape.has_bias != 0;
    if (what.bias) {
        what.bias_stride = shape.bias_column;
        what.bias_alignment = VendorPath::alignment(operands.bias);
    }
    const bool by_tanh = options.activation == Activation::gelu_tanh;
    const bool fused = by_tanh || (options.activation == Activation::relu && options.relu_may_drop_nan);
    what.epilogue = !fused ? backend::Epilogue::none : by_tanh ? backend::Epilogue::gelu_tanh : backend::Epilogue::relu;
    what.relu_may_drop_nan = options.relu_may_drop_nan;
    backend::MatmulOperands with;
    with.a = VendorPath::place(operands.a);
    with.b = VendorPath::place(operands.b);
    with.out = VendorPath::place(operands.out);
    with.c = VendorPath::place(operands.c);
    with.bias = VendorPath::place(operands.bias);
    with.alpha = shape.alpha;
    with.beta = shape.beta;
    const auto path = vendor.run(what, std::move(with));
    if (!path)
        return std::nullopt;
    if (options.activation == Activation::none || fused)
        return Placement{*path, {}};
    const Follower after = follower(options.activation);
    unary(call.queue(), after.function, *operands.out, *operands.out);
    return Placement{*path, after.told};
}

constexpr std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// ROWS of matmul_rows; and how many columns make it worth while.
constexpr std::int64_t most_rows = 8, least_columns = 16;

/// Cuts n into strips for matmul_rows: as wide as its work-items have room for, but with work for all cores. The
/// group's size.
unsigned strips(const DeviceState& device, const BuiltinKernel& kernel, MatmulShape& shape, std::int64_t batches) {
    std::int64_t width = 512; // columns; of STRIP vectors
    unsigned local = 1;
    if (kernel.group == 1) {
        const std::int64_t cores = std::max(device.info.compute_units, 1u), least = 8 * std::int64_t{kernel.vector};
        constexpr std::int64_t least_work = 1 << 16; // elements of b: some microseconds
        while (width > least && batches * up(shape.n, width) < 4 * cores && width / 2 * shape.k >= least_work)
            width /= 2;
    } else {
        constexpr std::int64_t most_lanes = 8, step = 4; // LANES and STEP
        while (local < kernel.group && local < most_lanes * up(shape.k, step))
            local *= 2;
        width = std::min<std::int64_t>(local, most_lanes) * kernel.vector;
    }
    shape.block_n = static_cast<std::int32_t>(width);
    shape.blocks_n = up(shape.n, width);
    return local;
}

} // namespace

std::string_view to_string(Activation activation) noexcept {
    return name_in({"none", "relu", "gelu", "gelu_tanh", "silu"}, activation);
}

Placement matmul(const Queue& queue, const TensorView& out, const TensorView& a, const TensorView& b,
                 const MatmulOptions& options) {
    const OpCall call(queue, "matmul");
    const Operand target = call.output("out", out), left = call.input("a", a), right = call.input("b", b);
    call.storage_type(target);
    call.storage_type(left);
    call.same_type(right, left);
    if (target->dtype() != DType::f32)
        call.same_type(left, target);
    call.known("activation", options.activation);
    for (const Operand* operand : {&target, &left, &right}) {
        if ((*operand)->rank() < 2)
            call.fail(std::string(operand->name) + " is " + (*operand)->text() + ": its rank must be at least 2",
                      "Reshape a vector to [1, n] or [n, 1].");
    }
    const int a_m = a.rank() - (options.transpose_a ? 1 : 2), a_k = a.rank() - (options.transpose_a ? 2 : 1);
    const int b_k = b.rank() - (options.transpose_b ? 1 : 2), b_n = b.rank() - (options.transpose_b ? 2 : 1);
    const int out_m = out.rank() - 2, out_n = out.rank() - 1;
    if (a.size(a_k) != b.size(b_k) || a.size(a_m) != out.size(out_m) || b.size(b_n) != out.size(out_n))
        call.fail("a is " + a.text() + (options.transpose_a ? ", transposed" : "") + ", b " + b.text() +
                      (options.transpose_b ? ", transposed" : "") + ", out " + out.text() + ": the sizes do not fit",
                  "They must be [m, k] · [k, n] = [m, n] in the last two axes, after the transposes.");
    MatmulShape shape{};
    const Dims a_batch = batch_strides(call, left, target), b_batch = batch_strides(call, right, target);
    call.apart(target, left);
    call.apart(target, right);
    Operand addend, bias;
    Dims c_strides = Dims::filled(out.rank(), 0);
    if (options.c) {
        addend = call.input("c", *options.c);
        call.same_type(addend, target);
        c_strides = call.broadcast_strides(addend, target);
        call.apart_or_same(target, addend);
    }
    if (options.beta == 0) {
        addend = {};
    } else {
        if (!options.c) {
            addend = target;
            c_strides = out.strides();
        }
        shape.has_c = 1;
        shape.c_row = c_strides[out_m];
        shape.c_column = c_strides[out_n];
    }
    if (options.bias) {
        bias = call.input("bias", *options.bias);
        call.same_type(bias, target);
        call.sizes_are(bias, Dims{out.size(out_n)}, "out's last size");
        call.apart(target, bias);
        shape.bias_column = bias->stride(0);
        shape.has_bias = 1;
    }
    if (out.elements() == 0)
        return {};

    shape.m = out.size(out_m);
    shape.n = out.size(out_n);
    shape.k = options.alpha == 0 ? 0 : a.size(a_k); // as if there were no product
    shape.alpha = options.alpha;
    shape.beta = options.beta;
    shape.a_row = a.stride(a_m);
    shape.a_column = a.stride(a_k);
    shape.b_row = b.stride(b_k);
    shape.b_column = b.stride(b_n);
    shape.out_row = out.stride(out_m);
    shape.out_column = out.stride(out_n);
    shape.activation = static_cast<std::int32_t>(options.activation);
    Dims batch_sizes = Dims::filled(out.rank() - 2, 0), out_batch = batch_sizes, c_batch = batch_sizes;
    for (int d = 0; d < out.rank() - 2; d++) {
        batch_sizes[d] = out.size(d);
        out_batch[d] = out.stride(d);
        c_batch[d] = shape.has_c != 0 ? c_strides[d] : 0;
    }
    // Without c, strides that change nothing: as out's, which the order of the axes follows anyway.
    set_batches(shape, batch_sizes, {out_batch, a_batch, b_batch, shape.has_c != 0 ? c_batch : out_batch});
    if (const auto placement = by_vendor(call, shape, {target, left, right, addend, bias}, options))
        return *placement;
    std::int64_t batches = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(shape.batch_rank); d++)
        batches *= shape.batch_sizes[d];
    // Both contiguous along k and one side narrow: memory sets the pace, so read it once, in order.
    constexpr std::int64_t narrow = 4;
    const bool dots = shape.a_column == 1 && shape.b_row == 1 && std::min(shape.m, shape.n) <= narrow;
    // One side narrow, and the other matrix contiguous along its long side: read once, too.
    const bool few_rows = !dots && shape.m <= most_rows && shape.n >= least_columns && shape.b_column == 1;
    const bool few_columns = !dots && !few_rows && shape.n <= most_rows && shape.m >= least_columns && shape.a_row == 1;
    const bool swapped =
        dots ? shape.n > narrow
             : few_columns ||
                   (!few_rows && ((shape.n == 1 && shape.m > 1) || (shape.out_column != 1 && shape.out_row == 1)));
    if (swapped)
        transpose(shape);

    const std::string constants =
        std::string(storage_constant(a.dtype())) + (out.dtype() == a.dtype() ? " WIDE=0" : " WIDE=1");
    const char* const name = dots ? "matmul_dots" : few_rows || few_columns ? "matmul_rows" : "matmul";
    const BuiltinKernel& kernel = builtin_kernel(queue, "matmul", name, constants);
    const auto launch = [&](std::int64_t groups, unsigned local) {
        return Launch(call, kernel)
            .view(target)
            .view_or(swapped ? right : left, target)
            .view_or(swapped ? left : right, target)
            .view_or(addend, target)
            .view_or(bias, target)
            .value(shape)
            .submit(groups, local);
    };
    if (dots) {
        shape.units = batches * shape.m * shape.n;
        const Split work = split(call.device(), kernel, shape.units, shape.k, true, shape.k / kernel.vector);
        shape.units_per_group = work.units_per_group;
        return launch(work.groups, work.local);
    }
    if (few_rows || few_columns) {
        const unsigned local = strips(call.device(), kernel, shape, batches);
        return launch(batches * shape.blocks_n, local);
    }
    const Blocks blocks = choose_blocks(call.device(), kernel, shape.m, shape.n, shape.k, batches);
    shape.block_m = blocks.m;
    shape.block_n = blocks.n;
    shape.blocks_m = blocks.across_m;
    shape.blocks_n = blocks.across_n;
    return launch(batches * blocks.across_m * blocks.across_n, blocks.local);
}

} // namespace ops

} // namespace devq
