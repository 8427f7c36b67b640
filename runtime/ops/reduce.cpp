#include "launch.hpp"
#include <bit>
#include <devq/ops/reduce.hpp>
#include <limits>

namespace devq::ops {

using namespace detail;

namespace {

/// struct reduce_shape of kernels/prelude/reduced.cl
struct ReduceShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides, over_sizes, over_strides;
    std::int64_t segments, length, stride, part_segments, part_length, pieces, parts, total, inner, out_inner, rows,
        units, units_per_group, correction;
    std::int32_t rank, over_rank, op, across;
};

/// Kernels NAME_rows, NAME_columns and NAME_parts of a kernel file.
struct Family {
    const char *file, *rows, *columns, *parts;
    std::int64_t state; ///< 32-bit words that a part gives
    bool unrolled;      ///< `columns` takes UNROLL vectors at a time
    bool ordered;       ///< counts the reduced elements in row-major order
};
constexpr Family plain{"reduce", "reduce_rows", "reduce_columns", "reduce_parts", 1, true, false};
constexpr Family indexed{"reduce", "argmax_rows", "argmax_columns", "argmax_parts", 2, false, true};
constexpr Family moments{"variance", "variance_rows", "variance_columns", "variance_parts", 3, false, false};

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct Axes {
    Dims kept, kept_in, kept_out, over, over_strides;
    std::string text; ///< "axis 1", "axes 0, 2"
};

Dims taken(const Dims& values, const std::array<bool, max_rank>& which, bool wanted) {
    std::array<std::int64_t, max_rank> list{};
    std::size_t count = 0;
    for (int d = 0; d < values.rank(); d++)
        if (which[static_cast<std::size_t>(d)] == wanted)
            list[count++] = values[d];
    return Dims(std::span<const std::int64_t>(list).first(count));
}

Axes parted(const OpCall& call, const Operand& target, const Operand& source, std::span<const int> axes) {
    std::array<bool, max_rank> reduced{};
    Axes result;
    result.text = axes.size() == 1 ? "axis" : "axes";
    for (const int& axis : axes) {
        const auto d = static_cast<std::size_t>(call.axis_of(source, axis));
        if (reduced[d])
            call.fail("axis " + std::to_string(d) + " is named twice", "Name each axis once.");
        reduced[d] = true;
        result.text += (&axis == axes.data() ? " " : ", ") + std::to_string(axis);
    }
    result.kept = taken(source->sizes(), reduced, false);
    result.kept_in = taken(source->strides(), reduced, false);
    result.over = taken(source->sizes(), reduced, true);
    result.over_strides = taken(source->strides(), reduced, true);
    Dims ones = source->sizes();
    for (int d = 0; d < ones.rank(); d++)
        if (reduced[static_cast<std::size_t>(d)])
            ones[d] = 1;
    if (target->sizes() == ones) {
        result.kept_out = taken(target->strides(), reduced, false);
    } else {
        call.sizes_are(target, result.kept,
                       axes.size() == 1 ? "in's without the reduced axis" : "in's without the reduced axes");
        result.kept_out = target->strides();
    }
    return result;
}

/// Axes that are neighbours and lie in memory as one become one; their order stays.
Layout<1> in_order(const Dims& sizes, const Dims& strides) {
    Layout<1> layout;
    for (int d = 0; d < sizes.rank(); d++) {
        if (sizes[d] == 1)
            continue;
        const auto last = static_cast<std::size_t>(layout.rank - 1);
        const bool merges = layout.rank > 0 && continues(layout.strides[0][last], strides[d], sizes[d]);
        const std::size_t to = merges ? last : static_cast<std::size_t>(layout.rank++);
        layout.sizes[to] = merges ? layout.sizes[to] * sizes[d] : sizes[d];
        layout.strides[0][to] = strides[d];
    }
    return layout;
}

/// Cuts each result's elements into parts, where there are too few results to keep a device busy. By the shape alone:
/// the order of a sum does not hang on how many threads there are. `units`: of work without parts; `width`: results of
/// one unit.
void cut(ReduceShape& shape, const BuiltinKernel& kernel, std::int64_t units, std::int64_t width) {
    const bool cpu = kernel.group == 1;
    const std::int64_t wanted = cpu ? 64 : 2048, least = cpu ? 32768 : 8192; // units; elements of a part
    const std::int64_t most = std::min(wanted / units, std::max<std::int64_t>(shape.total, 1) / up(least, width));
    shape.part_segments = shape.segments;
    shape.part_length = shape.length;
    shape.pieces = 1;
    shape.parts = 1;
    if (most < 2)
        return;
    if (shape.segments >= most) {
        shape.part_segments = up(shape.segments, most);
    } else {
        shape.part_segments = 1;
        shape.part_length = up(up(shape.length, up(most, shape.segments)), 1024) * 1024;
        shape.pieces = up(shape.length, shape.part_length);
    }
    shape.parts = up(shape.segments, shape.part_segments) * shape.pieces;
}

Placement run(const OpCall& call, const Family& family, const Operand& target, const Operand& source, const Axes& axes,
              int op, std::int64_t correction) {
    ReduceShape shape{};
    shape.op = op;
    shape.correction = correction;
    auto over = family.ordered ? in_order(axes.over, axes.over_strides) : collapse<1>(axes.over, {axes.over_strides});
    shape.total = over.elements();
    if (shape.total == 0)
        over.rank = 0; // nothing to walk, however many segments of nothing there are
    const auto along = over.take_inner();
    shape.length = shape.total == 0 ? 0 : along.size;
    shape.stride = along.strides[0];
    shape.segments = over.elements();
    shape.over_sizes = over.sizes;
    shape.over_strides = over.strides[0];
    shape.over_rank = over.rank;

    auto layout = collapse<2>(axes.kept, {axes.kept_in, axes.kept_out});
    // Where the results lie side by side in the input and the reduced axis does not, vectors go across results.
    const auto last = static_cast<std::size_t>(std::max(layout.rank, 1) - 1);
    const bool columns = layout.rank > 0 && shape.stride != 1 && layout.strides[0][last] == 1;
    const std::string_view constants = storage_constant(source->dtype());
    const BuiltinKernel& kernel =
        builtin_kernel(call.queue(), family.file, columns ? family.columns : family.rows, constants);
    shape.inner = 1;
    std::int64_t unit = 1;
    if (columns) {
        const auto inner = layout.take_inner();
        shape.inner = inner.size;
        shape.out_inner = inner.strides[1];
        unit = kernel.vector * (family.unrolled ? kernel.unroll : 1);
    }
    shape.sizes = layout.sizes;
    shape.in_strides = layout.strides[0];
    shape.out_strides = layout.strides[1];
    shape.rank = layout.rank;
    shape.rows = layout.elements();
    const std::int64_t width = std::min(unit, shape.inner), units = shape.rows * up(shape.inner, unit);
    cut(shape, kernel, units, width);
    shape.units = units * shape.parts;
    const std::int64_t work = std::max<std::int64_t>(shape.part_segments * shape.part_length, 1);
    const Split first = split(call.device(), kernel, shape.units, width * work, !columns, work / kernel.vector);
    shape.units_per_group = first.units_per_group;
    const auto vectors = static_cast<std::uint64_t>(std::max<std::int64_t>(up(shape.part_length, kernel.vector), 1));
    shape.across = static_cast<int>(std::min<std::uint64_t>(first.local, std::bit_ceil(vectors)));
    if (shape.parts == 1)
        return Launch(call, kernel)
            .view(target)
            .view_or(source, target)
            .view(target)
            .value(shape)
            .submit(first.groups, first.local);

    const std::int64_t results = shape.rows * shape.inner;
    const Tensor room(call.queue().device(), DType::i32, {results * shape.parts * family.state});
    const Operand partial = call.output("the parts' results", room);
    Launch(call, kernel).view(target).view(source).view(partial).value(shape).submit(first.groups, first.local);
    const BuiltinKernel& second = builtin_kernel(call.queue(), family.file, family.parts, constants);
    const Split rest = split(call.device(), second, results, shape.parts, true, shape.parts);
    shape.units = results;
    shape.units_per_group = rest.units_per_group;
    return Launch(call, second).view(target).view(partial).value(shape).submit(rest.groups, rest.local);
}

} // namespace

std::string_view to_string(Reduction op) noexcept {
    return name_in({"sum", "mean", "max", "argmax", "min", "argmin", "product", "norm"}, op);
}

Placement reduce(const Queue& queue, Reduction op, const TensorView& out, const TensorView& in,
                 std::span<const int> axes) {
    const OpCall call(queue, "reduce");
    call.known("op", op);
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(source);
    const bool index = op == Reduction::argmax || op == Reduction::argmin;
    if (index)
        call.type_is(target, {DType::i32});
    else
        call.same_type(target, source);
    const Axes parts = parted(call, target, source, axes);
    call.apart(target, source);
    const bool nothing = std::find(parts.over.begin(), parts.over.end(), 0) != parts.over.end();
    if (nothing && op != Reduction::sum && op != Reduction::product && op != Reduction::norm)
        call.fail(std::string(to_string(op)) + " over " + parts.text + " of in, which is " + in.text() +
                      ": there is nothing to take it of",
                  "Leave out empty axes; only a sum, a product and a norm of nothing have a value.");
    if (out.elements() == 0)
        return {};
    if (index && in.elements() / out.elements() > std::numeric_limits<std::int32_t>::max())
        call.fail(parts.text + " of in, which is " + in.text() + ": more elements than an i32 index can say",
                  "Split the axis.");
    return run(call, index ? indexed : plain, target, source, parts, static_cast<int>(op), 0);
}

Placement variance(const Queue& queue, const TensorView& out, const TensorView& in, std::span<const int> axes,
                   std::int64_t correction) {
    const OpCall call(queue, "variance");
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(source);
    call.same_type(target, source);
    if (correction < 0)
        call.fail("a correction of " + std::to_string(correction) + " would divide by more than there is",
                  "Use 1 for a sample, 0 for all there is.");
    const Axes parts = parted(call, target, source, axes);
    call.apart(target, source);
    if (std::find(parts.over.begin(), parts.over.end(), 0) != parts.over.end())
        call.fail("variance over " + parts.text + " of in, which is " + in.text() + ": there is nothing to take it of",
                  "Leave out empty axes.");
    if (out.elements() == 0)
        return {};
    return run(call, moments, target, source, parts, 0, correction);
}

} // namespace devq::ops
