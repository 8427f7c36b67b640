/* out = op(a) and out = op(a, b) over any strides: arithmetic, rounding and activations. */
#include "devq.cl"
#include "units.cl"

#define SIXTH 0.16666667f

static inline floatv between(floatv v, float low, float high) {
    const floatv most = max_nan(v, broadcast_v(low));
    return min_nan(most, broadcast_v(high));
}

static inline void apply_unary(int op, floatv* x, float p0, float p1) {
    switch (op) {
    case unary_negate: EACH(-v);
    case unary_abs: EACH(fabs(v));
    case unary_square: EACH(v * v);
    case unary_sqrt: EACH(sqrt(v));
    case unary_rsqrt: EACH(1.0f / sqrt(v));
    case unary_reciprocal: EACH(1.0f / v);
    case unary_exp: EACH(exp(v));
    case unary_log: EACH(log(v));
    case unary_tanh: EACH(tanh(v));
    case unary_sigmoid: EACH(sigmoid_of(v, 1.0f));
    case unary_relu: EACH(max_nan(v, broadcast_v(0.0f)));
    case unary_gelu: EACH(0.5f * v * (1.0f + erf(v * 0.70710678f)));
    case unary_gelu_tanh: EACH(0.5f * v * (1.0f + tanh(0.79788456f * (v + 0.044715f * v * v * v))));
    case unary_silu: EACH(sigmoid_of(v, v));
    case unary_floor: EACH(floor(v));
    case unary_ceil: EACH(ceil(v));
    case unary_round: EACH(rint(v));
    case unary_trunc: EACH(trunc(v));
    case unary_sign: EACH(select(select(broadcast_v(0.0f), broadcast_v(-1.0f), v < 0.0f), broadcast_v(1.0f), v > 0.0f));
    case unary_relu6: EACH(between(v, 0.0f, 6.0f));
    case unary_hardsigmoid: EACH(between(v + 3.0f, 0.0f, 6.0f) * SIXTH);
    case unary_hardswish: EACH(v * (between(v + 3.0f, 0.0f, 6.0f) * SIXTH));
    case unary_clamp: EACH(between(v, p0, p1));
    case unary_leaky_relu: EACH(select(v * p0, v, v > 0.0f));
    default: break;
    }
}

static inline void apply_binary(int op, floatv* x, const floatv* y, float p0) {
    switch (op) {
    case binary_add: EACH_PAIR(v + w);
    case binary_subtract: EACH_PAIR(v - w);
    case binary_multiply: EACH_PAIR(v * w);
    case binary_divide: EACH_PAIR(v / w);
    case binary_maximum: EACH_PAIR(max_nan(v, w));
    case binary_minimum: EACH_PAIR(min_nan(v, w));
    case binary_relu_backward: /* NaN of w (the input) shows, by w itself */
        EACH_PAIR(select(select(broadcast_v(0.0f), v, w > 0.0f), w, w != w));
    case binary_sigmoid_backward: EACH_PAIR(v * (w * (1.0f - w)));
    case binary_tanh_backward: EACH_PAIR(v * (1.0f - w * w));
    case binary_leaky_relu_backward: EACH_PAIR(select(select(v * p0, v, w > 0.0f), w, w != w));
    default: break;
    }
}

UNARY_KERNEL(unary, apply_unary)
BINARY_KERNEL(binary, apply_binary)
