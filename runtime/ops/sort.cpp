#include "launch.hpp"
#include <devq/ops/sort.hpp>
#include <limits>

namespace devq::ops {

using namespace detail;

namespace {

/// struct sort_shape of kernels/sort.cl
struct SortShape {
    std::array<std::int64_t, max_rank> sizes, values_strides, indices_strides, in_strides;
    std::int64_t length, kept, values_stride, indices_stride, in_stride, first, total, units, units_per_group;
    std::uint32_t flip;
    std::int32_t rank, piece, has_values, has_indices, unused;
};

/// struct radix_shape of kernels/radix.cl
struct RadixShape {
    std::int64_t length, total, units, units_per_group, blocks, block;
    std::int32_t shift, bits, second, unused;
};

constexpr std::int64_t short_row = 32; ///< SHORT of kernels/sort.cl
/// In plain elements: what an element costs that is moved by all digits of its key.
constexpr std::int64_t moving = 32;
constexpr std::int64_t most_workspace = std::int64_t{256} << 20;
constexpr std::int64_t least_block = 2048; ///< elements of a row that are worth a group of their own

/// What is to be sorted; one of the results may be absent.
struct Sorting {
    Operand values, indices, in;
    int axis = 0;
    bool descending = false;
};

class Sorter {
public:
    Sorter(const OpCall& call, const Sorting& sorting) : call_(call), sorting_(sorting) {
        const TensorView& in = *sorting.in;
        const int axis = sorting.axis;
        const TensorView& result = *(sorting.values.view ? sorting.values : sorting.indices);
        shape_.length = in.size(axis);
        shape_.kept = result.size(axis);
        shape_.in_stride = in.stride(axis);
        Dims sizes = Dims::filled(in.rank() - 1, 0), values = sizes, indices = sizes, from = sizes;
        const auto stride = [](const Operand& operand, int d) { return operand.view ? operand->stride(d) : 0; };
        for (int d = 0, k = 0; d < in.rank(); d++)
            if (d != axis) {
                sizes[k] = in.size(d);
                from[k] = in.stride(d);
                values[k] = stride(sorting.values, d);
                indices[k++] = stride(sorting.indices, d);
            }
        shape_.values_stride = stride(sorting.values, axis);
        shape_.indices_stride = stride(sorting.indices, axis);
        shape_.has_values = sorting.values.view != nullptr;
        shape_.has_indices = sorting.indices.view != nullptr;
        const auto layout = collapse<3>(sizes, {values, indices, from});
        shape_.sizes = layout.sizes;
        shape_.values_strides = layout.strides[0];
        shape_.indices_strides = layout.strides[1];
        shape_.in_strides = layout.strides[2];
        shape_.rank = layout.rank;
        rows_ = layout.elements();
        bits_ = static_cast<std::int32_t>(8 * size_of(in.dtype()));
        shape_.flip = sorting.descending ? ~std::uint32_t{0} >> (32 - bits_) : 0;
        type_ = in.dtype() == DType::i32 ? "T=i32" : storage_constant(in.dtype());
    }

    Placement run() {
        if (shape_.length <= short_row)
            return count_ranks();
        const std::int64_t bytes = 4 * std::int64_t{sizeof(std::uint32_t)} * shape_.length;
        const std::int64_t at_once = std::clamp(most_workspace / bytes, std::int64_t{1}, rows_);
        const Tensor work(call_.queue().device(), DType::i32, Dims{4, at_once, shape_.length});
        work_ = call_.output("workspace", work);
        Placement placement;
        for (shape_.first = 0; shape_.first < rows_; shape_.first += at_once) {
            const std::int64_t rows = std::min(at_once, rows_ - shape_.first);
            shape_.total = rows * shape_.length;
            make_keys(rows);
            sort_keys(rows);
            placement = write(rows);
        }
        return placement;
    }

private:
    Placement count_ranks() {
        const BuiltinKernel& kernel = builtin_kernel(call_.queue(), "sort", "sort_short", type_);
        const Split work =
            split(call_.device(), kernel, rows_, shape_.length * (shape_.length + moving), true, shape_.length);
        shape_.units = rows_;
        shape_.units_per_group = work.units_per_group;
        return Launch(call_, kernel)
            .view(result(sorting_.values))
            .view(result(sorting_.indices))
            .view(sorting_.in)
            .value(shape_)
            .submit(work.groups, work.local);
    }

    /// A result that is not wanted: another stands in for it, untouched.
    const Operand& result(const Operand& operand) const {
        return operand.view ? operand : sorting_.values.view ? sorting_.values : sorting_.indices;
    }

    Split pieces(const BuiltinKernel& kernel, std::int64_t rows, std::int64_t length) {
        constexpr std::int32_t piece_on_cpu = 1024, piece_of_an_item = 4;
        constexpr std::int64_t cost = 4; // of an element
        shape_.piece = kernel.group == 1 ? piece_on_cpu : piece_of_an_item;
        shape_.units = rows * ((length + shape_.piece - 1) / shape_.piece);
        const Split work =
            split(call_.device(), kernel, shape_.units, cost * std::min<std::int64_t>(length, shape_.piece));
        shape_.units_per_group = work.units_per_group;
        return work;
    }

    void make_keys(std::int64_t rows) {
        const BuiltinKernel& kernel = builtin_kernel(call_.queue(), "sort", "sort_keys", type_);
        const Split work = pieces(kernel, rows, shape_.length);
        Launch(call_, kernel).view(work_).view(sorting_.in).value(shape_).submit(work.groups, work.local);
    }

    Placement write(std::int64_t rows) {
        const BuiltinKernel& kernel = builtin_kernel(call_.queue(), "sort", "sort_write", type_);
        const Split work = pieces(kernel, rows, shape_.kept);
        return Launch(call_, kernel)
            .view(result(sorting_.values))
            .view(result(sorting_.indices))
            .view(sorting_.in)
            .view(work_)
            .value(shape_)
            .submit(work.groups, work.local);
    }

    void sort_keys(std::int64_t rows) {
        const std::int64_t units = std::max(call_.device().info.compute_units, 1u);
        RadixShape shape{};
        shape.length = shape_.length;
        shape.total = shape_.total;
        shape.bits = bits_;
        const BuiltinKernel& whole = builtin_kernel(call_.queue(), "radix", "radix_rows", "");
        const std::int64_t wanted = units * (whole.group == 1 ? 4 : 8); // groups
        shape.blocks = std::min((wanted + rows - 1) / rows, shape.length / least_block);
        if (rows >= 2 * units || shape.blocks < 2) {
            shape.units = rows;
            const Split work = split(call_.device(), whole, rows, moving * shape.length, true);
            shape.units_per_group = work.units_per_group;
            Launch(call_, whole).view(work_).value(shape).submit(work.groups, work.local);
            return;
        }
        shape.block = (shape.length + shape.blocks - 1) / shape.blocks;
        shape.blocks = (shape.length + shape.block - 1) / shape.block;
        const BuiltinKernel& count = builtin_kernel(call_.queue(), "radix", "radix_count", "");
        const BuiltinKernel& offsets = builtin_kernel(call_.queue(), "radix", "radix_offsets", "");
        const BuiltinKernel& move = builtin_kernel(call_.queue(), "radix", "radix_move", "");
        const int digit = constant_int(whole.constants, "BITS");
        const Tensor counted(call_.queue().device(), DType::i32, Dims{rows, std::int64_t{1} << digit, shape.blocks});
        const Operand counts = call_.output("workspace", counted);
        for (; shape.shift < shape.bits; shape.shift += digit, shape.second = 1 - shape.second) {
            shape.units = rows * shape.blocks;
            Split work = split(call_.device(), count, shape.units, shape.block, true);
            shape.units_per_group = work.units_per_group;
            Launch(call_, count).view(counts).view(work_).value(shape).submit(work.groups, work.local);
            work = split(call_.device(), move, shape.units, shape.block * 4, true);
            RadixShape sums = shape;
            sums.units = rows;
            const Split few = split(call_.device(), offsets, rows, shape.blocks << digit, true);
            sums.units_per_group = few.units_per_group;
            Launch(call_, offsets).view(counts).value(sums).submit(few.groups, few.local);
            shape.units_per_group = work.units_per_group;
            Launch(call_, move).view(work_).view(counts).value(shape).submit(work.groups, work.local);
        }
    }

    const OpCall& call_;
    const Sorting& sorting_;
    SortShape shape_{};
    std::int64_t rows_ = 0;
    std::int32_t bits_ = 0;
    std::string_view type_;
    Operand work_;
};

Placement run(const OpCall& call, const Sorting& sorting) {
    const std::int64_t length = sorting.in->size(sorting.axis);
    if (length > std::numeric_limits<std::int32_t>::max())
        call.fail("in is " + sorting.in->text() + ": an index along axis " + std::to_string(sorting.axis) +
                      " does not fit 32 bits",
                  "Sort slices of the axis.");
    for (const Operand* result : {&sorting.values, &sorting.indices})
        if (result->view)
            call.apart(*result, sorting.in);
    if (sorting.values.view && sorting.indices.view)
        call.apart(sorting.values, sorting.indices);
    if ((sorting.values.view ? sorting.values : sorting.indices)->elements() == 0)
        return {};
    return Sorter(call, sorting).run();
}

Sorting of(const OpCall& call, const TensorView& in, int axis, bool descending) {
    Sorting sorting;
    sorting.in = call.input("in", in);
    call.type_is(sorting.in, {DType::f32, DType::f16, DType::bf16, DType::i32});
    sorting.axis = call.axis_of(sorting.in, axis);
    sorting.descending = descending;
    return sorting;
}

} // namespace

Placement sort(const Queue& queue, const TensorView& values, const TensorView& in, const SortOptions& options) {
    const OpCall call(queue, "sort");
    Sorting sorting = of(call, in, options.axis, options.descending);
    sorting.values = call.output("values", values);
    call.same_type(sorting.values, sorting.in);
    call.sizes_are(sorting.values, in.sizes(), "as in's");
    if (options.indices) {
        sorting.indices = call.output("indices", *options.indices);
        call.type_is(sorting.indices, {DType::i32});
        call.sizes_are(sorting.indices, in.sizes(), "as in's");
    }
    return run(call, sorting);
}

Placement argsort(const Queue& queue, const TensorView& indices, const TensorView& in, int axis, bool descending) {
    const OpCall call(queue, "argsort");
    Sorting sorting = of(call, in, axis, descending);
    sorting.indices = call.output("indices", indices);
    call.type_is(sorting.indices, {DType::i32});
    call.sizes_are(sorting.indices, in.sizes(), "as in's");
    return run(call, sorting);
}

Placement top_k(const Queue& queue, const TensorView& values, const TensorView& indices, const TensorView& in,
                const TopKOptions& options) {
    const OpCall call(queue, "top_k");
    Sorting sorting = of(call, in, options.axis, options.largest);
    sorting.values = call.output("values", values);
    call.same_type(sorting.values, sorting.in);
    call.rank_is(sorting.values, in.rank());
    const std::int64_t k = values.size(sorting.axis);
    Dims sizes = in.sizes();
    sizes[sorting.axis] = k;
    call.sizes_are(sorting.values, sizes, "as in's but along the axis");
    if (k > in.size(sorting.axis))
        call.fail("values is " + values.text() + ": k is " + std::to_string(k) + ", and axis " +
                      std::to_string(sorting.axis) + " has " + std::to_string(in.size(sorting.axis)) + " elements",
                  "Ask for no more than there are.");
    sorting.indices = call.output("indices", indices);
    call.type_is(sorting.indices, {DType::i32});
    call.sizes_are(sorting.indices, sizes, "as values'");
    return run(call, sorting);
}

} // namespace devq::ops
