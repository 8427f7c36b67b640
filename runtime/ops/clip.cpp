#include "launch.hpp"
#include <devq/ops/clip.hpp>
#include <vector>

namespace devq::ops {

using namespace detail;

namespace {

/// struct clip_shape of kernels/clip.cl
struct ClipShape {
    std::array<std::int64_t, max_rank> sizes, strides;
    std::int64_t inner, inner_stride, units, units_per_chunk, per_group;
    std::int32_t rank, unused;
};

/// Elements that one partial sum covers: a fixed number, so that the sum's order is the same on any number of cores.
constexpr std::int64_t chunk = 16384;

struct Gradient {
    Operand operand;
    const BuiltinKernel* squares = nullptr;
    ClipShape shape{};
    std::int64_t chunks = 0;
};

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

} // namespace

Placement clip_norm(const Queue& queue, std::span<const TensorView> gradients, const TensorView& norm,
                    double max_norm) {
    const OpCall call(queue, "clip_norm");
    const Operand total = call.output("norm", norm);
    call.type_is(total, {DType::f32});
    call.one_element(total);
    if (!(max_norm >= 0))
        call.fail("max_norm is " + std::to_string(max_norm), "Use a number of 0 or more.");
    std::vector<Gradient> all;
    all.reserve(gradients.size());
    std::int64_t chunks = 0;
    for (const TensorView& view : gradients) {
        Gradient g;
        g.operand = call.output("gradient", view);
        call.storage_type(g.operand);
        call.apart(g.operand, total);
        for (const Gradient& other : all)
            call.apart(g.operand, other.operand);
        if (view.elements() > 0) {
            auto layout = collapse<1>(view.sizes(), {view.strides()});
            const auto inner = layout.take_inner();
            g.squares = &builtin_kernel(queue, "clip", "clip_squares", storage_constant(view.dtype()));
            g.shape.sizes = layout.sizes;
            g.shape.strides = layout.strides[0];
            g.shape.rank = layout.rank;
            g.shape.inner = inner.size;
            g.shape.inner_stride = inner.strides[0];
            g.shape.units = layout.elements() * up(inner.size, g.squares->vector);
            g.shape.units_per_chunk = chunk / g.squares->vector;
            g.chunks = up(g.shape.units, g.shape.units_per_chunk);
            chunks += g.chunks;
        }
        all.push_back(std::move(g));
    }
    // The factor, then the partial sums, gradient after gradient.
    const Tensor workspace(queue.device(), DType::f32, {1 + chunks});
    const Operand factor = call.output("workspace", workspace.view());
    Placement placement;
    std::int64_t done = 0;
    for (Gradient& g : all) {
        if (g.chunks == 0)
            continue;
        const Split work = split(call.device(), *g.squares, g.chunks, std::min(chunk, g.operand->elements()), true,
                                 std::min(g.shape.units, g.shape.units_per_chunk));
        g.shape.per_group = work.units_per_group;
        const TensorView partials = workspace.view().sliced(0, 1 + done, g.chunks);
        placement = Launch(call, *g.squares)
                        .view(g.operand)
                        .view(call.output("workspace", partials))
                        .value(g.shape)
                        .submit(work.groups, work.local);
        done += g.chunks;
    }
    const BuiltinKernel& factor_kernel = builtin_kernel(queue, "clip", "clip_factor", "T=f32");
    const float limit = static_cast<float>(max_norm);
    const Placement finished =
        Launch(call, factor_kernel).view(total).view(factor).value(chunks).value(limit).submit(1, factor_kernel.group);
    for (Gradient& g : all) {
        if (g.chunks == 0)
            continue;
        const BuiltinKernel& kernel = builtin_kernel(queue, "clip", "clip_scale", storage_constant(g.operand->dtype()));
        const Split work =
            split(call.device(), kernel, g.shape.units, std::min<std::int64_t>(kernel.vector, g.shape.inner));
        g.shape.per_group = work.units_per_group;
        Launch(call, kernel).view(g.operand).view(factor).value(g.shape).submit(work.groups, work.local);
    }
    return done > 0 ? placement : finished;
}

} // namespace devq::ops
