#include "launch.hpp"
#include <devq/ops/fill.hpp>
#include <devq/ops/scatter.hpp>
#include <devq/ops/sort.hpp>
#include <limits>

namespace devq::ops {

using namespace detail;

namespace {

/// struct scatter_shape of kernels/scatter.cl
struct ScatterShape {
    std::array<std::int64_t, max_rank> lane_sizes, lane_out, lane_in, term_sizes, term_in;
    std::int64_t sharing, step, inner, out_inner, in_inner, stripes, order;
    std::int32_t count, available, skipped, stripe, lane_rank, term_rank, accumulate, unused;
    std::int64_t units, units_per_group;

    void lane(std::int64_t size, std::int64_t out, std::int64_t in) {
        const auto d = static_cast<std::size_t>(lane_rank++);
        lane_sizes[d] = size;
        lane_out[d] = out;
        lane_in[d] = in;
    }
    /// Terms are counted in row-major order: axes merge, and keep their places.
    void term(std::int64_t size, std::int64_t in) {
        if (size == 1)
            return;
        auto d = static_cast<std::size_t>(term_rank);
        if (term_rank > 0 && continues(term_in[d - 1], in, size)) {
            term_sizes[--d] *= size;
        } else {
            term_rank++;
            term_sizes[d] = size;
        }
        term_in[d] = in;
    }
};

/// What no index reaches may be cut off.
std::int32_t as_index(std::int64_t limit) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(limit, std::numeric_limits<std::int32_t>::max()));
}

void check_count(const OpCall& call, const Operand& indices, std::int64_t count) {
    if (count > std::numeric_limits<std::int32_t>::max())
        call.fail(std::string(indices.name) + " is " + indices->text() + ": more than 2147483647 terms a list",
                  "Scatter slices of it, one after another.");
}

/// `indices`: lists of shape.count, each along the last axis. `shared`: axes of out and in beside these.
Placement add_up(const OpCall& call, ScatterShape& shape, const Operand& target, const Operand& source,
                 const TensorView& indices, Layout<2> shared) {
    const std::int64_t lists = indices.elements() / shape.count;
    auto inner = shared.take_inner();
    constexpr std::int64_t least_row = 16; // what is shorter is no work for a group
    const bool rows = inner.size >= least_row;
    shape.sharing = shared.elements();
    for (int d = 0; d < shared.rank; d++) {
        const auto at = static_cast<std::size_t>(d);
        shape.lane(shared.sizes[at], shared.strides[0][at], shared.strides[1][at]);
    }
    if (!rows) {
        shape.sharing *= inner.size;
        shape.lane(inner.size, inner.strides[0], inner.strides[1]);
        inner.size = 1;
    }
    shape.inner = inner.size;
    shape.out_inner = inner.strides[0];
    shape.in_inner = inner.strides[1];
    shape.order = indices.elements();
    const Tensor sorted(call.queue().device(), DType::i32, Dims{2, shape.order});
    const Buffer& memory = sorted.buffer();
    sort(call.queue(), TensorView(memory, DType::i32, indices.sizes()), indices,
         {.indices = TensorView(memory, DType::i32, indices.sizes(), shape.order)});
    const BuiltinKernel& kernel =
        builtin_kernel(call.queue(), "scatter", rows ? "scatter_rows" : "scatter_elements",
                       target->dtype() == DType::i32 ? "T=i32" : storage_constant(target->dtype()));
    constexpr std::int64_t stripe_on_cpu = 512, overhead = 16; // in elements
    const std::int64_t step = std::int64_t{kernel.vector} * kernel.unroll;
    shape.stripe = static_cast<std::int32_t>(kernel.group == 1 ? std::max(stripe_on_cpu, step) : step * kernel.group);
    shape.units = lists * shape.sharing * shape.count;
    shape.stripes = (inner.size + shape.stripe - 1) / shape.stripe;
    shape.units *= shape.stripes; // 1 for single elements
    const Split work = split(call.device(), kernel, shape.units,
                             overhead + std::min<std::int64_t>(inner.size, shape.stripe), rows, inner.size / step);
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel)
        .view(target)
        .view(call.input("workspace", sorted))
        .view(source)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace

Placement scatter_add(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& indices,
                      int axis) {
    const OpCall call(queue, "scatter_add");
    const Operand target = call.output("out", out), source = call.input("in", in),
                  picks = call.input("indices", indices);
    call.type_is(target, {DType::f32, DType::f16, DType::bf16, DType::i32});
    call.same_type(source, target);
    call.type_is(picks, {DType::i32});
    axis = call.axis_of(target, axis);
    call.rank_is(source, out.rank());
    Dims sizes = out.sizes();
    sizes[axis] = in.size(axis);
    call.sizes_are(source, sizes, "as out's but along the axis that is scattered along");
    const Dims index_strides = call.broadcast_strides(picks, source);
    check_count(call, picks, in.size(axis));
    call.apart(target, source);
    call.apart(target, picks);
    if (in.elements() == 0 || out.elements() == 0)
        return {};
    ScatterShape shape{};
    shape.count = static_cast<std::int32_t>(in.size(axis));
    shape.available = as_index(out.size(axis));
    shape.step = out.stride(axis);
    shape.skipped = -1;
    shape.accumulate = 1;
    shape.term(shape.count, in.stride(axis));
    Dims list_sizes = Dims::filled(out.rank(), 1), list_strides = Dims::filled(out.rank(), 0);
    Dims shared_sizes = list_sizes;
    for (int d = 0, k = 0; d < out.rank(); d++)
        if (d != axis) {
            if (index_strides[d] != 0 && out.size(d) > 1) {
                list_sizes[k] = out.size(d);
                list_strides[k++] = index_strides[d];
                shape.lane(out.size(d), out.stride(d), in.stride(d));
            } else {
                shared_sizes[d] = out.size(d);
            }
        }
    const int last = out.rank() - 1;
    list_sizes[last] = shape.count;
    list_strides[last] = index_strides[axis];
    return add_up(call, shape, target, source,
                  TensorView(indices.buffer(), DType::i32, list_sizes, list_strides, indices.offset()),
                  collapse<2>(shared_sizes, {out.strides(), in.strides()}));
}

Placement embedding_backward(const Queue& queue, const TensorView& table_gradient, const TensorView& gradient,
                             const TensorView& indices, const EmbeddingBackwardOptions& options) {
    const OpCall call(queue, "embedding_backward");
    const Operand target = call.output("table_gradient", table_gradient), source = call.input("gradient", gradient),
                  picks = call.input("indices", indices);
    call.type_is(target, {DType::f32, DType::f16, DType::bf16, DType::i32});
    call.same_type(source, target);
    call.rank_is(target, 2);
    call.type_is(picks, {DType::i32});
    call.rank_is(source, indices.rank() + 1);
    ScatterShape shape{};
    const std::int64_t count = indices.elements();
    Dims sizes = Dims::filled(gradient.rank(), 0);
    std::int64_t spacing = 1, steps = 1;
    for (int d = indices.rank() - 1; d >= 0; d--) {
        sizes[d] = indices.size(d);
        if (indices.size(d) < 2)
            continue;
        if (steps == 1)
            spacing = indices.stride(d);
        else if (!continues(indices.stride(d), spacing, steps) && count > 0)
            call.fail("indices is " + indices.text() + ": its elements are not evenly spaced",
                      "Copy them to a contiguous tensor.");
        steps *= indices.size(d);
    }
    sizes[indices.rank()] = table_gradient.size(1);
    call.sizes_are(source, sizes, "a row of the table for each index");
    check_count(call, picks, count);
    shape.count = static_cast<std::int32_t>(count);
    call.apart(target, source);
    call.apart(target, picks);
    if (table_gradient.elements() == 0)
        return {};
    const Placement emptied = options.accumulate ? Placement{} : fill(queue, table_gradient, 0);
    if (shape.count == 0)
        return emptied;
    for (int d = 0; d < indices.rank(); d++)
        shape.term(gradient.size(d), gradient.stride(d));
    shape.available = as_index(table_gradient.size(0));
    shape.step = table_gradient.stride(0);
    shape.skipped = options.padding < 0 ? -1 : as_index(options.padding);
    shape.accumulate = options.accumulate ? 1 : 0;
    return add_up(call, shape, target, source,
                  TensorView(indices.buffer(), DType::i32, Dims{shape.count}, Dims{spacing}, indices.offset()),
                  collapse<2>(Dims{table_gradient.size(1)},
                              {Dims{table_gradient.stride(1)}, Dims{gradient.stride(indices.rank())}}));
}

} // namespace devq::ops
