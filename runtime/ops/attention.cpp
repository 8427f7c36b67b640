#include "launch.hpp"
#include <cmath>
#include <devq/ops/attention.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// A view's strides but the last, as the structs of the kernels have them.
struct Steps {
    std::int64_t batch, head, row;
};

/// struct score_mask of kernels/prelude/scores.cl
struct ScoreMask {
    std::int64_t batch, head, query, key, causal_offset;
    std::int32_t kind, causal;
};

/// struct attention_shape of kernels/attention.cl
struct AttentionShape {
    std::int64_t heads, queries, keys, head_dim, value_dim;
    Steps out, q, k, v, lse;
    ScoreMask mask;
    std::int64_t blocks, panels;
    float scale;
    std::int32_t block, heads_per_kv, has_lse;
};

/// struct attention_backward_shape of kernels/attention_backward.cl
struct BackwardShape {
    std::int64_t rows, columns, head_dim, value_dim, width, row_heads;
    Steps out, row, column, row_value, column_value, factor, lse;
    std::int64_t delta_batch, delta_head;
    ScoreMask mask;
    std::int64_t blocks, panels;
    float scale;
    std::int32_t block, heads_per_kv, of;
};

/// struct attention_delta_shape
struct DeltaShape {
    std::int64_t heads, queries, value_dim;
    Steps gradient, out;
    std::int64_t units, units_per_group;
};

Steps steps_of(const TensorView& view) { return {view.stride(0), view.stride(1), view.stride(2)}; }

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// What both directions are given, checked.
class Attention {
public:
    Attention(const OpCall& call, const TensorView& q, const TensorView& k, const TensorView& v,
              const AttentionOptions& options)
        : call_(call), q(call.input("q", q)), k(call.input("k", k)), v(call.input("v", v)) {
        call.storage_type(this->q);
        for (const Operand* const operand : {&this->q, &this->k, &this->v})
            rows_side_by_side(*operand);
        call.same_type(this->k, this->q);
        call.same_type(this->v, this->q);
        call.sizes_are(this->k, Dims{q.size(0), k.size(1), k.size(2), q.size(3)}, "q's batch and head_dim");
        call.sizes_are(this->v, Dims{q.size(0), k.size(1), k.size(2), v.size(3)}, "k's batch, heads and keys");
        if (k.size(1) == 0 ? q.size(1) != 0 : q.size(1) % k.size(1) != 0)
            call.fail("q has " + std::to_string(q.size(1)) + " heads, k and v have " + std::to_string(k.size(1)),
                      "k's number of heads must divide q's.");
        heads_per_kv = k.size(1) == 0 ? 1 : q.size(1) / k.size(1);
        if (heads_per_kv > 0x7fffffff)
            call.fail("q is " + q.text() + ": too many heads", "Split them over calls.");
        call.known("causal", options.causal);
        scale = options.scale.value_or(q.size(3) > 0 ? 1.0f / std::sqrt(static_cast<float>(q.size(3))) : 1.0f);
        score_mask.causal = options.causal == Causal::none ? 0 : 1;
        score_mask.causal_offset = options.causal == Causal::bottom_right ? k.size(2) - q.size(2) : 0;
        if (options.mask)
            set_mask(*options.mask);
    }

    Dims rows() const { return Dims{q->size(0), q->size(1), q->size(2)}; }
    Dims result() const { return Dims{q->size(0), q->size(1), q->size(2), v->size(3)}; }

    /// Rank 4, elements of the last axis neighbours.
    void rows_side_by_side(const Operand& operand) const {
        call_.rank_is(operand, 4);
        if (operand->size(3) > 1 && operand->stride(3) != 1)
            call_.fail(std::string(operand.name) + " is " + operand->text() + ": its last axis must be contiguous",
                       "Copy it to a tensor whose last axis has stride 1.");
    }
    void log_sum_exp_fits(const Operand& operand) const {
        call_.type_is(operand, {DType::f32});
        call_.sizes_are(operand, rows(), "one value a row of scores");
    }
    void apart_from_inputs(const Operand& out) const {
        for (const Operand* const in : {&q, &k, &v, &mask})
            if (in->buffer)
                call_.apart(out, *in);
    }

private:
    const OpCall& call_;

    void set_mask(const TensorView& view) {
        mask = call_.input("mask", view);
        call_.type_is(mask, {DType::u8, DType::f32, q->dtype()});
        const Dims sizes{q->size(0), q->size(1), q->size(2), k->size(2)};
        const int extra = 4 - view.rank();
        bool fits = extra >= 0;
        std::array<std::int64_t, 4> strides{};
        for (int d = 0; fits && d < view.rank(); d++) {
            fits = view.size(d) == sizes[d + extra] || view.size(d) == 1;
            strides[static_cast<std::size_t>(d + extra)] = view.size(d) == 1 ? 0 : view.stride(d);
        }
        if (!fits)
            call_.fail("mask is " + view.text() + " and does not broadcast to the scores, " + sizes.text(),
                       "Each size, counted from the last axis, must equal the scores' or be 1.");
        score_mask.batch = strides[0];
        score_mask.head = strides[1];
        score_mask.query = strides[2];
        score_mask.key = strides[3];
        score_mask.kind = view.dtype() == DType::u8 ? 1 : view.dtype() == DType::f32 ? 2 : 3;
    }

public:
    Operand q, k, v, mask;
    ScoreMask score_mask{};
    std::int64_t heads_per_kv = 1;
    float scale = 1;
};

/// Rows in a group's block: as many as the kernel takes, but few enough that all cores have some blocks.
struct Blocks {
    std::int32_t block;
    std::int64_t blocks, panels;
    Blocks(const OpCall& call, const BuiltinKernel& kernel, std::int64_t slices, std::int64_t rows,
           std::int64_t width) {
        const std::int64_t most = constant_int(kernel.constants, "MB"), step = constant_int(kernel.constants, "TM");
        panels = up(width, constant_int(kernel.constants, "NB"));
        const std::int64_t wanted = 2 * std::int64_t{std::max(call.device().info.compute_units, 1u)};
        std::int64_t size = std::min(most, up(rows, step) * step);
        while (size > 2 * step && slices * panels * up(rows, size) < wanted)
            size = up(size / 2, step) * step;
        block = static_cast<std::int32_t>(size);
        blocks = up(rows, size);
    }
};

} // namespace

std::string_view to_string(Causal causal) noexcept { return name_in({"none", "top_left", "bottom_right"}, causal); }

Placement attention(const Queue& queue, const TensorView& out, const TensorView& q, const TensorView& k,
                    const TensorView& v, const AttentionOptions& options,
                    const std::optional<TensorView>& log_sum_exp) {
    const OpCall call(queue, "attention");
    const Attention given(call, q, k, v, options);
    const Operand target = call.output("out", out);
    given.rows_side_by_side(target);
    call.same_type(target, given.q);
    call.sizes_are(target, given.result(), "q's batch, heads and rows and v's last size");
    given.apart_from_inputs(target);
    Operand lse;
    AttentionShape shape{};
    if (log_sum_exp) {
        lse = call.output("log_sum_exp", *log_sum_exp);
        given.log_sum_exp_fits(lse);
        given.apart_from_inputs(lse);
        call.apart(target, lse);
        shape.lse = steps_of(*log_sum_exp);
        shape.has_lse = 1;
    }
    const std::int64_t slices = q.size(0) * q.size(1), rows = q.size(2);
    if (slices * rows == 0 || (v.size(3) == 0 && !log_sum_exp))
        return {};
    const BuiltinKernel& kernel = builtin_kernel(queue, "attention", "attention", storage_constant(q.dtype()));
    const Blocks blocks(call, kernel, slices, rows, std::max<std::int64_t>(v.size(3), 1));
    shape.heads = q.size(1);
    shape.queries = rows;
    shape.keys = k.size(2);
    shape.head_dim = q.size(3);
    shape.value_dim = v.size(3);
    shape.out = steps_of(out);
    shape.q = steps_of(q);
    shape.k = steps_of(k);
    shape.v = steps_of(v);
    shape.mask = given.score_mask;
    shape.blocks = blocks.blocks;
    shape.panels = blocks.panels;
    shape.block = blocks.block;
    shape.scale = given.scale;
    shape.heads_per_kv = static_cast<std::int32_t>(given.heads_per_kv);
    const Operand& memory = log_sum_exp ? lse : target; // one of them has elements
    return Launch(call, kernel)
        .view_or(target, memory)
        .view_or(given.q, memory)
        .view_or(given.k, memory)
        .view_or(given.v, memory)
        .view_or(given.mask, memory)
        .view_or(lse, memory)
        .value(shape)
        .submit(slices * blocks.blocks * blocks.panels, kernel.group);
}

Placement attention_backward(const Queue& queue, const AttentionGradients& gradients, const TensorView& out_gradient,
                             const TensorView& q, const TensorView& k, const TensorView& v, const TensorView& out,
                             const TensorView& log_sum_exp, const AttentionOptions& options) {
    const OpCall call(queue, "attention_backward");
    const Attention given(call, q, k, v, options);
    const Operand slope = call.input("out_gradient", out_gradient), result = call.input("out", out),
                  lse = call.input("log_sum_exp", log_sum_exp);
    for (const Operand* const operand : {&slope, &result}) {
        given.rows_side_by_side(*operand);
        call.same_type(*operand, given.q);
        call.sizes_are(*operand, given.result(), "q's batch, heads and rows and v's last size");
    }
    given.log_sum_exp_fits(lse);
    std::array<Operand, 3> targets; // of q, k, v
    const std::array<const std::optional<TensorView>*, 3> wanted{&gradients.q, &gradients.k, &gradients.v};
    const std::array<const Operand*, 3> sources{&given.q, &given.k, &given.v};
    constexpr std::array<const char*, 3> names{"gradients.q", "gradients.k", "gradients.v"};
    for (std::size_t i = 0; i < 3; i++) {
        if (!*wanted[i])
            continue;
        targets[i] = call.output(names[i], **wanted[i]);
        given.rows_side_by_side(targets[i]);
        call.same_type(targets[i], given.q);
        call.sizes_are(targets[i], (*sources[i])->sizes(), "as its operand's");
        given.apart_from_inputs(targets[i]);
        for (const Operand* const in : {&slope, &result, &lse})
            call.apart(targets[i], *in);
        for (std::size_t j = 0; j < i; j++)
            if (targets[j].buffer)
                call.apart(targets[i], targets[j]);
    }
    const auto writes = [&](std::size_t i) { return targets[i].buffer && targets[i]->elements() > 0; };
    const std::int64_t queries = q.size(2), units = q.size(0) * q.size(1) * queries;
    const std::string_view type = storage_constant(q.dtype());
    Placement placement;
    Tensor workspace;
    Operand delta;
    if (units > 0 && (writes(0) || writes(1))) {
        workspace = Tensor(queue.device(), DType::f32, {units});
        delta = call.output("workspace", workspace.view());
        const BuiltinKernel& kernel = builtin_kernel(queue, "attention_backward", "attention_delta", type);
        DeltaShape shape{};
        shape.heads = q.size(1);
        shape.queries = queries;
        shape.value_dim = v.size(3);
        shape.gradient = steps_of(out_gradient);
        shape.out = steps_of(out);
        shape.units = units;
        const Split work = split(call.device(), kernel, units, v.size(3) + 16, true, v.size(3) / kernel.vector);
        shape.units_per_group = work.units_per_group;
        Launch(call, kernel)
            .view(delta)
            .view_or(slope, delta)
            .view_or(result, delta)
            .value(shape)
            .submit(work.groups, work.local);
    }
    for (std::size_t i = 0; i < 3; i++) {
        if (!writes(i))
            continue;
        const bool of_q = i == 0;
        const BuiltinKernel& kernel = builtin_kernel(queue, "attention_backward", "attention_backward", type);
        const TensorView& target = *targets[i].view;
        const std::int64_t slices = target.size(0) * target.size(1);
        const Blocks blocks(call, kernel, slices, target.size(2), target.size(3));
        const Operand &row = of_q ? given.q : given.k, &column = of_q ? given.k : given.q,
                      &row_value = of_q ? slope : given.v, &column_value = of_q ? given.v : slope,
                      &factor = i == 0   ? given.k
                                : i == 1 ? given.q
                                         : slope;
        BackwardShape shape{};
        shape.rows = row->size(2);
        shape.columns = column->size(2);
        shape.head_dim = q.size(3);
        shape.value_dim = v.size(3);
        shape.width = target.size(3);
        shape.row_heads = target.size(1);
        shape.out = steps_of(target);
        shape.row = steps_of(*row);
        shape.column = steps_of(*column);
        shape.row_value = steps_of(*row_value);
        shape.column_value = steps_of(*column_value);
        shape.factor = steps_of(*factor);
        shape.lse = steps_of(log_sum_exp);
        shape.delta_batch = q.size(1) * queries;
        shape.delta_head = queries;
        shape.mask = given.score_mask;
        shape.blocks = blocks.blocks;
        shape.panels = blocks.panels;
        shape.block = blocks.block;
        shape.scale = given.scale;
        shape.heads_per_kv = static_cast<std::int32_t>(given.heads_per_kv);
        shape.of = static_cast<std::int32_t>(i);
        placement = Launch(call, kernel)
                        .view(targets[i])
                        .view_or(row, targets[i])
                        .view_or(column, targets[i])
                        .view_or(row_value, targets[i])
                        .view_or(column_value, targets[i])
                        .view_or(factor, targets[i])
                        .view_or(given.mask, targets[i])
                        .view_or(lse, targets[i])
                        .view_or(delta, targets[i])
                        .value(shape)
                        .submit(slices * blocks.blocks * blocks.panels, kernel.group);
    }
    return placement;
}

} // namespace devq::ops
