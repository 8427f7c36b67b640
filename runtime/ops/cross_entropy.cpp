#include "launch.hpp"
#include <devq/ops/cross_entropy.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct cross_entropy_shape of kernels/cross_entropy.cl
struct CrossEntropyShape {
    std::int64_t rows, classes, logits_row, logits_class, gradient_row, gradient_class, loss_stride, label_stride;
    std::int64_t weight_stride, rows_per_group;
    float scale, hot, smooth;
    std::int32_t ignored;
    std::int32_t has_gradient, has_factor, has_ignored, has_weights, has_smoothing, divides;
};

/// What the call may write, beside the gradient, and what it only reads.
void check_apart(const OpCall& call, std::initializer_list<const Operand*> written,
                 std::initializer_list<const Operand*> read) {
    for (const Operand* const* out = written.begin(); out != written.end(); ++out) {
        if (!(*out)->buffer)
            continue;
        for (const Operand* const in : read)
            if (in->buffer)
                call.apart(**out, *in);
        for (const Operand* const* other = out + 1; other != written.end(); ++other)
            if ((*other)->buffer)
                call.apart(**out, **other);
    }
}

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
    CrossEntropyShape shape{};
    Operand gradient, factor, weights, total;
    if (options.gradient) {
        gradient = call.output("gradient", *options.gradient);
        call.same_type(gradient, scores);
        call.sizes_are(gradient, logits.sizes(), "as logits'");
        call.apart_or_same(gradient, scores);
        shape.has_gradient = 1;
        shape.gradient_row = gradient->stride(0);
        shape.gradient_class = gradient->stride(1);
    }
    if (options.scale_factor) {
        factor = call.input("scale_factor", *options.scale_factor);
        call.type_is(factor, {DType::f32});
        call.one_element(factor);
        shape.has_factor = 1;
    }
    if (options.class_weights) {
        weights = call.input("class_weights", *options.class_weights);
        call.type_is(weights, {DType::f32});
        call.sizes_are(weights, Dims{logits.size(1)}, "one weight a class");
        shape.has_weights = 1;
        shape.weight_stride = weights->stride(0);
    }
    if (options.count) {
        total = call.output("count", *options.count);
        call.type_is(total, {DType::f32});
        call.one_element(total);
    } else if (options.divide_by_count) {
        call.fail("divide_by_count without count", "Pass a tensor of one f32 as count.");
    }
    if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
        call.fail("label_smoothing is " + std::to_string(options.label_smoothing), "Use a number from 0 to 1.");
    check_apart(call, {&losses, &gradient, &total}, {&wanted, &factor, &weights});
    check_apart(call, {&losses}, {&scores});
    check_apart(call, {&total}, {&scores});

    shape.rows = logits.size(0);
    shape.classes = logits.size(1);
    if (shape.classes == 0 && shape.rows > 0)
        call.fail("logits is " + logits.text() + ": there are no classes", "Pass at least one column.");
    shape.label_stride = labels.stride(0);
    shape.has_ignored = options.ignore_label ? 1 : 0;
    shape.ignored = options.ignore_label.value_or(0);
    Placement counted;
    if (total.buffer) {
        const BuiltinKernel& kernel = builtin_kernel(queue, "cross_entropy", "cross_entropy_count", "T=f32");
        counted = Launch(call, kernel)
                      .view(total)
                      .view_or(wanted, total)
                      .view_or(weights, total)
                      .value(shape)
                      .submit(1, kernel.group);
    }
    if (shape.rows == 0)
        return counted;
    shape.logits_row = logits.stride(0);
    shape.logits_class = logits.stride(1);
    shape.loss_stride = loss.stride(0);
    shape.scale = options.scale;
    shape.divides = options.divide_by_count ? 1 : 0;
    shape.has_smoothing = options.label_smoothing > 0 ? 1 : 0;
    shape.hot = 1.0f - options.label_smoothing;
    shape.smooth = options.label_smoothing / static_cast<float>(shape.classes);
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
        .view_or(weights, losses)
        .view_or(total, losses)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace devq::ops
