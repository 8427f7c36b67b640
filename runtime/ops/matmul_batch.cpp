#include "layout.hpp"
#include "vendor.hpp"
#include <algorithm>
#include <devq/ops/matmul.hpp>
#include <optional>
#include <vector>

namespace devq::ops {

using namespace detail;

namespace {

/// One of the lists, its members checked by themselves and against the first.
struct List {
    List(const OpCall& call, const char* name, std::span<const TensorView> given, bool written) {
        names.reserve(given.size());
        members.reserve(given.size());
        for (std::size_t i = 0; i < given.size(); i++) {
            const char* const own = names.emplace_back(std::string(name) + '[' + std::to_string(i) + ']').c_str();
            const Operand& member =
                members.emplace_back(written ? call.output(own, given[i]) : call.input(own, given[i]));
            if (i > 0) {
                call.same_type(member, members[0]);
                call.sizes_are(member, given[0].sizes(), "as those of the first in its list");
            }
        }
    }

    const TensorView& first() const noexcept { return *members[0]; }
    bool same_strides() const {
        return std::all_of(members.begin(), members.end(),
                           [&](const Operand& one) { return one->strides() == first().strides(); });
    }

    std::vector<std::string> names; ///< "as[3]"; never moved: members point to them
    std::vector<Operand> members;
};

/// Nothing that is written is anything else, too.
void check_apart(const OpCall& call, const List& outs, std::initializer_list<const std::vector<Operand>*> inputs) {
    struct Extent {
        const BufferState* buffer;
        std::int64_t begin, end; ///< bytes
        const Operand* operand;
        bool written;
    };
    std::vector<Extent> extents;
    const auto add = [&](const std::vector<Operand>& operands, bool written) {
        for (const Operand& operand : operands) {
            if (operand->elements() == 0)
                continue;
            std::int64_t last = operand->offset();
            for (int axis = 0; axis < operand->rank(); axis++)
                last += (operand->size(axis) - 1) * operand->stride(axis);
            const auto size = static_cast<std::int64_t>(size_of(operand->dtype()));
            extents.push_back({operand.buffer.get(), operand->offset() * size, (last + 1) * size, &operand, written});
        }
    };
    add(outs.members, true);
    for (const auto* operands : inputs)
        add(*operands, false);
    std::sort(extents.begin(), extents.end(), [](const Extent& x, const Extent& y) {
        return x.buffer != y.buffer ? std::less<>()(x.buffer, y.buffer) : x.begin < y.begin;
    });
    for (auto one = extents.begin(); one != extents.end(); ++one)
        for (auto other = one + 1; other != extents.end() && other->buffer == one->buffer && other->begin < one->end;
             ++other)
            if (one->written || other->written)
                call.apart(*(one->written ? one : other)->operand, *(one->written ? other : one)->operand);
}

/// The list as one view with one axis more, in front of `rank` others. Null: its members do not lie equally far behind
/// one another.
std::optional<TensorView> stacked(const List& list, int rank) {
    const TensorView& first = list.first();
    const int missing = rank - first.rank();
    if (rank == max_rank || missing < 0 || !list.same_strides())
        return std::nullopt;
    const std::int64_t distance = list.members[1]->offset() - first.offset();
    Dims sizes = Dims::filled(rank + 1, 1), strides = Dims::filled(rank + 1, 0);
    sizes[0] = static_cast<std::int64_t>(list.members.size());
    strides[0] = distance;
    for (int axis = 0; axis < first.rank(); axis++) {
        sizes[axis + missing + 1] = first.size(axis);
        strides[axis + missing + 1] = first.stride(axis);
    }
    std::int64_t place = first.offset();
    for (const Operand& member : list.members) {
        if (distance < 0 || member.buffer != list.members[0].buffer || member->offset() != place)
            return std::nullopt;
        place += distance;
    }
    return TensorView(first.buffer(), first.dtype(), sizes, strides, first.offset());
}

/// By a vendor's library that takes lists of addresses. Null: another way must be taken.
std::optional<Placement> by_addresses(const OpCall& call, const List& outs, const List& as, const List& bs,
                                      const MatmulOptions& options) {
    const VendorPath vendor(call, options.path, true);
    const TensorView &out = outs.first(), &a = as.first(), &b = bs.first();
    if (!vendor.wanted() || options.bias || options.activation != Activation::none || options.c || options.alpha == 0 ||
        out.rank() != 2 || a.rank() != 2 || b.rank() != 2)
        return std::nullopt;
    const TensorView left = options.transpose_a ? a.transposed(0, 1) : a,
                     right = options.transpose_b ? b.transposed(0, 1) : b;
    if (left.size(0) != out.size(0) || left.size(1) != right.size(0) || right.size(1) != out.size(1) ||
        a.dtype() != b.dtype() || out.elements() == 0 || left.size(1) == 0 || !outs.same_strides() ||
        !as.same_strides() || !bs.same_strides())
        return std::nullopt;
    backend::MatmulOperands with;
    const auto matrix = [](const TensorView& view, const List& list, std::vector<backend::Place>& places) {
        backend::MatmulDescription::Matrix made{view.dtype(), view.stride(0), view.stride(1), {}, 256};
        for (const Operand& member : list.members) {
            places.push_back(VendorPath::place(member));
            made.alignment = std::min(made.alignment, VendorPath::alignment(member));
        }
        return made;
    };
    backend::MatmulDescription what;
    what.m = out.size(0);
    what.n = out.size(1);
    what.k = left.size(1);
    what.a = matrix(left, as, with.as);
    what.b = matrix(right, bs, with.bs);
    what.out = matrix(out, outs, with.outs);
    what.places = static_cast<std::int64_t>(outs.members.size());
    what.accumulate = options.beta != 0;
    if (what.accumulate)
        what.c = what.out;
    what.compute = options.tf32 && a.dtype() == DType::f32 ? backend::Compute::tf32 : backend::Compute::f32;
    with.alpha = options.alpha;
    with.beta = options.beta;
    if (const auto path = vendor.run(what, std::move(with)))
        return Placement{*path, {}};
    return std::nullopt;
}

} // namespace

Placement matmul_batch(const Queue& queue, std::span<const TensorView> outs, std::span<const TensorView> as,
                       std::span<const TensorView> bs, const MatmulOptions& options) {
    const OpCall call(queue, "matmul_batch");
    if (as.size() != outs.size() || bs.size() != outs.size())
        call.fail("there are " + std::to_string(outs.size()) + " outs, " + std::to_string(as.size()) + " as and " +
                      std::to_string(bs.size()) + " bs",
                  "The lists must be of one length; the same view may be in a list more than once.");
    if (outs.empty())
        return {};
    const List targets(call, "outs", outs, true), lefts(call, "as", as, false), rights(call, "bs", bs, false);
    std::vector<Operand> others;
    if (options.bias)
        others.push_back(call.input("bias", *options.bias));
    if (options.c)
        others.push_back(call.input("c", *options.c));
    check_apart(call, targets, {&lefts.members, &rights.members, &others});
    if (outs.size() == 1)
        return matmul(queue, outs[0], as[0], bs[0], options);
    const int rank = targets.first().rank();
    const auto out = stacked(targets, rank), a = stacked(lefts, rank), b = stacked(rights, rank);
    if (out && a && b)
        return matmul(queue, *out, *a, *b, options);
    if (const auto placement = by_addresses(call, targets, lefts, rights, options))
        return *placement;
    Placement placement;
    for (std::size_t i = 0; i < outs.size(); i++) // all are of one shape: what is wrong with it, the first tells
        placement = matmul(queue, outs[i], as[i], bs[i], options);
    if (placement.path != "none")
        placement.variant = "a launch each";
    return placement;
}

} // namespace devq::ops
