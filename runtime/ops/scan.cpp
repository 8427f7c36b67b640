#include "launch.hpp"
#include <devq/ops/scan.hpp>
#include <utility>

namespace devq::ops {

using namespace detail;

namespace {

/// struct scan_shape of kernels/scan.cl
struct ScanShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides;
    std::int64_t length, out_stride, in_stride, out_first, in_first, inner, out_inner, blocks, block, units,
        units_per_group;
    std::int32_t rank, exclusive;
};

constexpr std::int64_t least_block = 2048; ///< elements of a row that are worth a group of their own

} // namespace

Placement scan(const Queue& queue, const TensorView& out, const TensorView& in, const ScanOptions& options) {
    const OpCall call(queue, "scan");
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.type_is(target, {DType::f32, DType::f16, DType::bf16, DType::i32});
    call.same_type(source, target);
    call.sizes_are(source, out.sizes(), "as out's");
    const int axis = call.axis_of(source, options.axis);
    call.apart_or_same(target, source);
    if (out.elements() == 0)
        return {};
    ScanShape shape{};
    shape.length = in.size(axis);
    shape.out_stride = out.stride(axis);
    shape.in_stride = in.stride(axis);
    shape.exclusive = options.exclusive;
    if (options.reverse)
        for (auto [stride, first] :
             {std::pair{&shape.out_stride, &shape.out_first}, {&shape.in_stride, &shape.in_first}}) {
            *first = (shape.length - 1) * *stride;
            *stride = -*stride;
        }
    Dims sizes = in.sizes();
    sizes[axis] = 1;
    auto layout = collapse<2>(sizes, {in.strides(), out.strides()});
    const std::string_view type = in.dtype() == DType::i32 ? "T=i32" : storage_constant(in.dtype());
    const BuiltinKernel& by_rows = builtin_kernel(queue, "scan", "scan_rows", type);
    // Units that keep a device busy. The same whatever the number of cores is, since the order of the sums hangs on it.
    const std::int64_t wanted = by_rows.group == 1 ? 32 : 256;
    const auto last = static_cast<std::size_t>(std::max(layout.rank, 1) - 1);
    // Rows side by side, unless there are too few for all cores and each is long.
    const bool columns = layout.rank > 0 && layout.strides[0][last] == 1 && shape.in_stride != 1 &&
                         (shape.length < 2 * least_block ||
                          layout.elements() >= wanted * by_rows.vector * (by_rows.group == 1 ? 1 : 32));
    const auto outer = [&] {
        shape.sizes = layout.sizes;
        shape.in_strides = layout.strides[0];
        shape.out_strides = layout.strides[1];
        shape.rank = layout.rank;
    };
    if (columns) {
        const BuiltinKernel& kernel = builtin_kernel(queue, "scan", "scan_columns", type);
        const auto inner = layout.take_inner();
        outer();
        shape.inner = inner.size;
        shape.out_inner = inner.strides[1];
        shape.units = layout.elements() * ((inner.size + kernel.vector - 1) / kernel.vector);
        const Split work = split(call.device(), kernel, shape.units,
                                 2 * std::min<std::int64_t>(kernel.vector, inner.size) * shape.length);
        shape.units_per_group = work.units_per_group;
        return Launch(call, kernel).view(target).view(source).value(shape).submit(work.groups, work.local);
    }
    outer();
    const std::int64_t rows = layout.elements();
    shape.blocks = std::min((wanted + rows - 1) / rows, shape.length / least_block);
    // In place, a block would read sums of what another has overwritten: they are taken before.
    shape.blocks = rows >= wanted || shape.blocks < 2 ? 1 : shape.blocks;
    shape.block = (shape.length + shape.blocks - 1) / shape.blocks;
    shape.blocks = (shape.length + shape.block - 1) / shape.block;
    shape.units = rows * shape.blocks;
    Split work = split(call.device(), by_rows, shape.units, 2 * shape.block, true, shape.block / by_rows.vector);
    shape.units_per_group = work.units_per_group;
    if (shape.blocks == 1)
        return Launch(call, by_rows)
            .view(target)
            .view(source)
            .view_or({}, source)
            .value(shape)
            .submit(work.groups, work.local);
    const Tensor partial(queue.device(), DType::i32, Dims{shape.units}); // 4 bytes each, of either kind
    const Operand sums = call.output("sums", partial);
    const BuiltinKernel& summing = builtin_kernel(queue, "scan", "scan_sums", type);
    ScanShape first = shape;
    const Split few = split(call.device(), summing, shape.units, shape.block, true, shape.block / summing.vector);
    first.units_per_group = few.units_per_group;
    Launch(call, summing).view(sums).view(source).value(first).submit(few.groups, few.local);
    return Launch(call, by_rows).view(target).view(source).view(sums).value(shape).submit(work.groups, work.local);
}

} // namespace devq::ops
