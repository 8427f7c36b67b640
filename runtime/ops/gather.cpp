#include "launch.hpp"
#include <devq/ops/gather.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct gather_shape of kernels/gather.cl
struct GatherShape {
    std::int64_t count, available, columns, out_row, out_column, in_row, in_column, index_stride, rows_per_group;
    std::uint32_t missing;
    std::int32_t unused;
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

} // namespace

Placement gather_rows(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& rows) {
    const OpCall call(queue, "gather_rows");
    const Operand target = call.output("out", out), source = call.input("in", in), indices = call.input("rows", rows);
    call.type_is(source, {DType::f32, DType::f16, DType::bf16, DType::i32});
    call.same_type(target, source);
    call.rank_is(source, 2);
    call.type_is(indices, {DType::i32});
    call.rank_is(indices, 1);
    call.sizes_are(target, Dims{rows.size(0), in.size(1)}, "a row for each index, of in's columns");
    call.apart(target, source);
    call.apart(target, indices);
    if (out.elements() == 0)
        return {};
    GatherShape shape{};
    shape.count = out.size(0);
    shape.available = in.size(0);
    shape.columns = out.size(1);
    shape.out_row = out.stride(0);
    shape.out_column = out.stride(1);
    shape.in_row = in.stride(0);
    shape.in_column = in.stride(1);
    shape.index_stride = rows.stride(0);
    shape.missing = missing_bits(out.dtype());
    const BuiltinKernel& kernel =
        builtin_kernel(queue, "gather", "gather_rows", size_of(out.dtype()) == 2 ? "SIZE=2" : "SIZE=4");
    const Split work =
        split(call.device(), kernel, shape.count, shape.columns + 8, true, shape.columns / kernel.vector);
    shape.rows_per_group = work.units_per_group;
    return Launch(call, kernel)
        .view(target)
        .view_or(source, target)
        .view(indices)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace devq::ops
