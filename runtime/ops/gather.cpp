#include "launch.hpp"
#include <devq/ops/gather.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct gather_shape of kernels/gather.cl
struct GatherShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides, index_strides;
    std::int64_t available, step, inner, out_inner, in_inner, index_inner, units, units_per_group;
    std::uint32_t missing;
    std::int32_t rank, unit, unused;
};

std::uint32_t missing_bits(DType type) {
    switch (type) {
    case DType::f32:
        return 0x7fc00000u;
    case DType::f16:
        return 0x7e00u;
    case DType::bf16:
        return 0x7fc0u;
    default:
        return 0;
    }
}

/// Strides for out's sizes; in's are 0 along the axis that is picked from, whose size and stride are given apart.
struct Picked {
    Dims in_strides, index_strides;
    std::int64_t available, step;
};

Placement pick(const OpCall& call, const Operand& target, const Operand& source, const Operand& indices,
               const Picked& from) {
    call.apart(target, source);
    call.apart(target, indices);
    if (target->elements() == 0)
        return {};
    auto layout = collapse<3>(target->sizes(), {target->strides(), from.in_strides, from.index_strides});
    const auto inner = layout.take_inner();
    constexpr std::int64_t least_row = 16; // what is shorter is no work for a group
    const bool rows = inner.size >= least_row && inner.strides[2] == 0;
    GatherShape shape{};
    shape.sizes = layout.sizes;
    shape.out_strides = layout.strides[0];
    shape.in_strides = layout.strides[1];
    shape.index_strides = layout.strides[2];
    shape.rank = layout.rank;
    shape.available = from.available;
    shape.step = from.step;
    shape.inner = inner.size;
    shape.out_inner = inner.strides[0];
    shape.in_inner = inner.strides[1];
    shape.index_inner = inner.strides[2];
    shape.missing = missing_bits(target->dtype());
    const BuiltinKernel& kernel = builtin_kernel(call.queue(), "gather", rows ? "gather_rows" : "gather_elements",
                                                 size_of(target->dtype()) == 2 ? "SIZE=2" : "SIZE=4");
    constexpr std::int64_t row_cost = 8; // in elements that are copied
    constexpr std::int64_t far = 4;      // an element that lies anywhere
    shape.unit = kernel.group == 1 ? 1024 : kernel.vector;
    shape.units = layout.elements() * (rows ? 1 : (inner.size + shape.unit - 1) / shape.unit);
    const Split work =
        rows ? split(call.device(), kernel, shape.units, inner.size + row_cost, true, inner.size / kernel.vector)
             : split(call.device(), kernel, shape.units, far * std::min<std::int64_t>(inner.size, shape.unit));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel)
        .view(target)
        .view_or(source, target)
        .view(indices)
        .value(shape)
        .submit(work.groups, work.local);
}

Placement rows_of(const OpCall& call, const Operand& target, const Operand& table, const Operand& indices) {
    call.type_is(table, {DType::f32, DType::f16, DType::bf16, DType::i32});
    call.same_type(target, table);
    call.rank_is(table, 2);
    call.type_is(indices, {DType::i32});
    const int rank = indices->rank();
    if (rank == max_rank)
        call.fail(std::string(indices.name) + " is " + indices->text() + ": out would have more axes than there can be",
                  "Use indices of rank 7 at most.");
    Dims sizes = Dims::filled(rank + 1, 0), in_strides = sizes, index_strides = sizes;
    for (int d = 0; d < rank; d++) {
        sizes[d] = indices->size(d);
        index_strides[d] = indices->stride(d);
    }
    sizes[rank] = table->size(1);
    in_strides[rank] = table->stride(1);
    call.sizes_are(target, sizes, "a row for each index");
    return pick(call, target, table, indices, {in_strides, index_strides, table->size(0), table->stride(0)});
}

} // namespace

Placement gather(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& indices, int axis) {
    const OpCall call(queue, "gather");
    const Operand target = call.output("out", out), source = call.input("in", in),
                  picks = call.input("indices", indices);
    call.type_is(source, {DType::f32, DType::f16, DType::bf16, DType::i32});
    call.same_type(target, source);
    call.type_is(picks, {DType::i32});
    axis = call.axis_of(source, axis);
    call.rank_is(target, in.rank());
    Dims sizes = in.sizes(), in_strides = in.strides();
    sizes[axis] = out.size(axis);
    in_strides[axis] = 0;
    call.sizes_are(target, sizes, "as in's but along the axis picked from");
    return pick(call, target, source, picks,
                {in_strides, call.broadcast_strides(picks, target), in.size(axis), in.stride(axis)});
}

Placement embedding(const Queue& queue, const TensorView& out, const TensorView& table, const TensorView& indices) {
    const OpCall call(queue, "embedding");
    return rows_of(call, call.output("out", out), call.input("table", table), call.input("indices", indices));
}

Placement gather_rows(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& rows) {
    const OpCall call(queue, "gather_rows");
    const Operand target = call.output("out", out), source = call.input("in", in), indices = call.input("rows", rows);
    call.rank_is(indices, 1);
    return rows_of(call, target, source, indices);
}

} // namespace devq::ops
