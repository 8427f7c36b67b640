/* out = op(a) and out = op(a, b) over any strides; stride 0 repeats an element. UNROLL: vectors of a step. */
#include "devq.cl"

#define UNIT (VW * UNROLL)

struct elementwise_shape {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long out_strides[8], a_strides[8], b_strides[8];
    long inner, out_inner, a_inner, b_inner; /* size and strides of the innermost dimension */
    long outer;                              /* inner rows */
    long units, units_per_group;             /* a unit: up to UNIT neighbours of one inner row */
    int rank, op;
    int down;   /* units go down the rows first: neighbours of a transposed operand soon after one another */
    int unused;
};

/* op: the order of devq::ops::Unary */
enum {
    unary_copy, unary_negate, unary_abs, unary_square, unary_sqrt, unary_rsqrt, unary_reciprocal, unary_exp, unary_log,
    unary_tanh, unary_sigmoid, unary_relu, unary_gelu, unary_gelu_tanh, unary_silu
};
/* op: the order of devq::ops::Binary */
enum {
    binary_add, binary_subtract, binary_multiply, binary_divide, binary_maximum, binary_minimum, binary_relu_backward
};

/* count: 1 to UNIT */
static inline void load_unit(floatv* x, __global const storage_t* p, long i, long stride, int count) {
    if (stride == 1 && count == UNIT) {
        for (int u = 0; u < UNROLL; u++)
            x[u] = load_v(p, i + u * VW);
    } else if (stride == 0) {
        const floatv same = broadcast_v(load(p, i));
        for (int u = 0; u < UNROLL; u++)
            x[u] = same;
    } else {
        for (int u = 0; u < UNROLL; u++)
            x[u] = load_any(p, i + u * VW * stride, stride, count - u * VW, 0.0f);
    }
}

static inline void store_unit(__global storage_t* p, long i, long stride, int count, const floatv* x) {
    if (stride == 1 && count == UNIT) {
        for (int u = 0; u < UNROLL; u++)
            store_v(p, i + u * VW, x[u]);
    } else {
        for (int u = 0; u < UNROLL; u++)
            store_any(p, i + u * VW * stride, stride, count - u * VW, x[u]);
    }
}

#define EACH(expression)                                                                                               \
    for (int u = 0; u < UNROLL; u++) {                                                                                 \
        const floatv v = x[u];                                                                                         \
        x[u] = (expression);                                                                                           \
    }                                                                                                                  \
    break

/* times / (1 + exp(-v)), where exp never overflows, so that small results stay right. */
static inline floatv sigmoid_of(floatv v, floatv times) {
    const floatv e = exp(-fabs(v));
    return times * select(e, broadcast_v(1.0f), v >= 0.0f) / (1.0f + e);
}

static inline void apply_unary(int op, floatv* x) {
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
    default: break;
    }
}

#define EACH_PAIR(expression)                                                                                          \
    for (int u = 0; u < UNROLL; u++) {                                                                                 \
        const floatv v = x[u], w = y[u];                                                                               \
        x[u] = (expression);                                                                                           \
    }                                                                                                                  \
    break

static inline void apply_binary(int op, floatv* x, const floatv* y) {
    switch (op) {
    case binary_add: EACH_PAIR(v + w);
    case binary_subtract: EACH_PAIR(v - w);
    case binary_multiply: EACH_PAIR(v * w);
    case binary_divide: EACH_PAIR(v / w);
    case binary_maximum: EACH_PAIR(max_nan(v, w));
    case binary_minimum: EACH_PAIR(min_nan(v, w));
    case binary_relu_backward: /* NaN of w (the input) shows, by w itself */
        EACH_PAIR(select(select(broadcast_v(0.0f), v, w > 0.0f), w, w != w));
    default: break;
    }
}

__kernel void unary(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,
                    const struct elementwise_shape s) {
    TABLES(struct elementwise_shape, t, s, s.rank);
    const long units_per_row = (s.inner + UNIT - 1) / UNIT;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = s.rank == 0 ? 0 : s.down ? unit % s.outer : unit / units_per_row;
        const long first = (s.down ? unit / s.outer : unit - row * units_per_row) * UNIT;
        long out_i = out_at + first * s.out_inner, a_i = a_at + first * s.a_inner;
        long rest = row;
        for (int d = s.rank - 1; d >= 0; d--) {
            const long c = rest % t->sizes[d];
            rest /= t->sizes[d];
            out_i += c * t->out_strides[d];
            a_i += c * t->a_strides[d];
        }
        const int count = (int)min(s.inner - first, (long)UNIT);
        floatv x[UNROLL];
        load_unit(x, a, a_i, s.a_inner, count);
        apply_unary(s.op, x);
        store_unit(out, out_i, s.out_inner, count, x);
    }
}

__kernel void binary(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,
                     __global const storage_t* b, const long b_at, const struct elementwise_shape s) {
    TABLES(struct elementwise_shape, t, s, s.rank);
    const long units_per_row = (s.inner + UNIT - 1) / UNIT;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = s.rank == 0 ? 0 : s.down ? unit % s.outer : unit / units_per_row;
        const long first = (s.down ? unit / s.outer : unit - row * units_per_row) * UNIT;
        long out_i = out_at + first * s.out_inner, a_i = a_at + first * s.a_inner, b_i = b_at + first * s.b_inner;
        long rest = row;
        for (int d = s.rank - 1; d >= 0; d--) {
            const long c = rest % t->sizes[d];
            rest /= t->sizes[d];
            out_i += c * t->out_strides[d];
            a_i += c * t->a_strides[d];
            b_i += c * t->b_strides[d];
        }
        const int count = (int)min(s.inner - first, (long)UNIT);
        floatv x[UNROLL], y[UNROLL];
        load_unit(x, a, a_i, s.a_inner, count);
        load_unit(y, b, b_i, s.b_inner, count);
        apply_binary(s.op, x, y);
        store_unit(out, out_i, s.out_inner, count, x);
    }
}
