#include "launch.hpp"
#include <devq/ops/cross_entropy.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct cross_entropy_shape of kernels/cross_entropy.cl
struct CrossEntropyShape {
    std::int64_t rows, classes, logits_row, logits_class, gradient_row, gradient_class, loss_stride, label_stride;
    std::int64_t rows_per_group;
    float scale;
    std::int32_t has_gradient, has_factor, unused;
};

} // namespace

Placement softmax_cross_entropy(const Queue& queue, const TensorView& loss, const TensorView& logits,
                                const TensorView& labels, const CrossEntropyOptions& options) {
    const OpCall call(queue, "softmax_cross_entropy");
    const Operand losses = call.output("loss", loss), scores = call.input("logits", logits),
                  wanted = call.input("labels", labels);
    call.storage_type(scores);
    call.rank_is(scores, 2);
    call.type_is(losses, {DType::f32});
    call.sizes_are(losses, Dims{logits.size(0)}, "one loss a row of logits");
    call.type_is(wanted, {DType::i32});
    call.sizes_are(wanted, Dims{logits.size(0)}, "one label a row of logits");
    call.apart(losses, scores);
    call.apart(losses, wanted);
    CrossEntropyShape shape{};
    Operand gradient, factor;
    if (options.gradient) {
        gradient = call.output("gradient", *options.gradient);
        call.same_type(gradient, scores);
        call.sizes_are(gradient, logits.sizes(), "as logits'");
        call.apart_or_same(gradient, scores);
        call.apart(gradient, losses);
        call.apart(gradient, wanted);
        shape.has_gradient = 1;
        shape.gradient_row = gradient->stride(0);
        shape.gradient_class = gradient->stride(1);
    }
    if (options.scale_factor) {
        factor = call.input("scale_factor", *options.scale_factor);
        call.type_is(factor, {DType::f32});
        call.one_element(factor);
        call.apart(losses, factor);
        if (options.gradient)
            call.apart(gradient, factor);
        shape.has_factor = 1;
    }
    if (logits.size(0) == 0)
        return {};
    if (logits.size(1) == 0)
        call.fail("logits is " + logits.text() + ": there are no classes", "Pass at least one column.");
    shape.rows = logits.size(0);
    shape.classes = logits.size(1);
    shape.logits_row = logits.stride(0);
    shape.logits_class = logits.stride(1);
    shape.loss_stride = loss.stride(0);
    shape.label_stride = labels.stride(0);
    shape.scale = options.scale;
    const BuiltinKernel& kernel =
        builtin_kernel(queue, "cross_entropy", "cross_entropy", storage_constant(logits.dtype()));
    constexpr std::int64_t passes = 4, row_cost = 100; // in plain elements
    const Split work = split(call.device(), kernel, shape.rows, shape.classes * passes + row_cost, true,
                             shape.classes / kernel.vector);
    shape.rows_per_group = work.units_per_group;
    return Launch(call, kernel)
        .view(losses)
        .view(scores)
        .view(wanted)
        .view_or(gradient, scores)
        .view_or(factor, losses)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace devq::ops
