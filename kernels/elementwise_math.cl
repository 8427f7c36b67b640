/* out = op(a) and out = op(a, b) over any strides: the functions that take long to compile. */
#include "devq.cl"
#include "units.cl"

/* Lane by lane: PoCL's vectors of sin, cos and tan are wrong in small lanes where another lane is large. */
#define LANES_OF(name)                                                                                                 \
    static inline floatv name##_lanes(floatv v) {                                                                      \
        float lanes[VW];                                                                                               \
        vstore_v(v, lanes);                                                                                            \
        for (int j = 0; j < VW; j++)                                                                                   \
            lanes[j] = name(lanes[j]);                                                                                 \
        return vload_v(lanes);                                                                                         \
    }
LANES_OF(sin)
LANES_OF(cos)
LANES_OF(tan)

/* log(1 + exp(v)), which neither overflows nor loses small results */
static inline floatv softplus_of(floatv v) { return max_nan(v, broadcast_v(0.0f)) + log1p(exp(-fabs(v))); }

static inline void apply_math(int op, floatv* x, float p0, float p1) {
    (void)p1;
    switch (op) {
    case unary_sin: EACH(sin_lanes(v));
    case unary_cos: EACH(cos_lanes(v));
    case unary_tan: EACH(tan_lanes(v));
    case unary_asin: EACH(asin(v));
    case unary_acos: EACH(acos(v));
    case unary_atan: EACH(atan(v));
    case unary_sinh: EACH(sinh(v));
    case unary_cosh: EACH(cosh(v));
    case unary_asinh: EACH(asinh(v));
    case unary_acosh: EACH(acosh(v));
    case unary_atanh: EACH(atanh(v));
    case unary_erf: EACH(erf(v));
    case unary_erfc: EACH(erfc(v));
    case unary_exp2: EACH(exp2(v));
    case unary_expm1: EACH(expm1(v));
    case unary_log2: EACH(log2(v));
    case unary_log10: EACH(log10(v));
    case unary_log1p: EACH(log1p(v));
    case unary_softplus: EACH(softplus_of(v));
    case unary_mish: EACH(v * tanh(softplus_of(v)));
    case unary_elu: EACH(select(p0 * expm1(v), v, v > 0.0f));
    default: break;
    }
}

/* Python's %: the sign of the divisor */
static inline floatv remainder_of(floatv v, floatv w) {
    const floatv m = fmod(v, w);
    return select(m, m + w, (m != 0.0f) & ((m < 0.0f) != (w < 0.0f)));
}

/* Slopes: beyond `most` they are 0 or 1 in f32, and what would be infinity · 0 is not. */
static inline floatv within(floatv w, float most) {
    const floatv low = max_nan(w, broadcast_v(-most));
    return min_nan(low, broadcast_v(most));
}
/* sigmoid(w) · (1 + w · sigmoid(-w)) */
static inline floatv silu_slope(floatv x) {
    const floatv w = within(x, 128.0f);
    return sigmoid_of(w, broadcast_v(1.0f)) * (1.0f + w * sigmoid_of(-w, broadcast_v(1.0f)));
}
/* Φ(w) + w · φ(w) */
static inline floatv gelu_slope(floatv x) {
    const floatv w = within(x, 16.0f);
    return 0.5f * (1.0f + erf(w * 0.70710678f)) + w * (exp(-0.5f * w * w) * 0.39894228f);
}
/* The same of the tanh form: 1 - tanh² as 4e / (1 + e)², which keeps its digits. */
static inline floatv gelu_tanh_slope(floatv x) {
    const floatv w = within(x, 16.0f), z = w * w, inside = 0.79788456f * (w + 0.044715f * z * w);
    const floatv e = exp(-2.0f * fabs(inside)), d = 1.0f + e;
    return 0.5f * (1.0f + tanh(inside)) + 0.5f * w * (4.0f * e / (d * d)) * (0.79788456f * (1.0f + 0.134145f * z));
}

static inline void apply_math2(int op, floatv* x, const floatv* y, float p0) {
    (void)p0;
    switch (op) {
    case binary_pow: EACH_PAIR(pow(v, w));
    case binary_fmod: EACH_PAIR(fmod(v, w));
    case binary_remainder: EACH_PAIR(remainder_of(v, w));
    case binary_atan2: EACH_PAIR(atan2(v, w));
    case binary_hypot: EACH_PAIR(hypot(v, w));
    case binary_silu_backward: EACH_PAIR(v * silu_slope(w));
    case binary_gelu_backward: EACH_PAIR(v * gelu_slope(w));
    case binary_gelu_tanh_backward: EACH_PAIR(v * gelu_tanh_slope(w));
    default: break;
    }
}

UNARY_KERNEL(unary_math, apply_math)
BINARY_KERNEL(binary_math, apply_math2)
