/* What elementwise.cl, elementwise_math.cl and compare.cl share: the walk over the elements of an output and up to two
 * inputs, of any strides; stride 0 repeats an element. UNROLL: vectors of a step. */

#ifndef UNROLL
#define UNROLL 1
#endif
#define UNIT (VW * UNROLL)

struct elementwise_shape {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long out_strides[8], a_strides[8], b_strides[8];
    long inner, out_inner, a_inner, b_inner; /* size and strides of the innermost dimension */
    long outer;                              /* inner rows */
    long units, units_per_group;             /* a unit: up to UNIT neighbours of one inner row */
    int rank, op;
    int down;     /* units go down the rows first: neighbours of a transposed operand soon after one another */
    int bytes;    /* results are bytes (compare) */
    float p0, p1; /* an operation's parameters */
};

/* op: the order of devq::ops::Unary; then those with parameters, which have functions of their own. */
enum {
    unary_copy, unary_negate, unary_abs, unary_square, unary_sqrt, unary_rsqrt, unary_reciprocal, unary_exp, unary_log,
    unary_tanh, unary_sigmoid, unary_relu, unary_gelu, unary_gelu_tanh, unary_silu, unary_floor, unary_ceil,
    unary_round, unary_trunc, unary_sign, unary_relu6, unary_hardsigmoid, unary_hardswish, unary_sin, unary_cos,
    unary_tan, unary_asin, unary_acos, unary_atan, unary_sinh, unary_cosh, unary_asinh, unary_acosh, unary_atanh,
    unary_erf, unary_erfc, unary_exp2, unary_expm1, unary_log2, unary_log10, unary_log1p, unary_softplus, unary_mish,
    unary_logical_not, unary_is_nan, unary_is_inf, unary_is_finite, unary_clamp, unary_leaky_relu, unary_elu
};
/* op: the order of devq::ops::Binary; then one with a parameter. */
enum {
    binary_add, binary_subtract, binary_multiply, binary_divide, binary_maximum, binary_minimum, binary_relu_backward,
    binary_sigmoid_backward, binary_tanh_backward, binary_pow, binary_fmod, binary_remainder, binary_atan2,
    binary_hypot, binary_silu_backward, binary_gelu_backward, binary_gelu_tanh_backward, binary_equal,
    binary_not_equal, binary_less, binary_less_equal, binary_greater, binary_greater_equal, binary_logical_and,
    binary_logical_or, binary_logical_xor, binary_leaky_relu_backward
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

/* Both run `work` for each unit of the group's share, with `count` elements at out_i, a_i (and b_i). */
#define EACH_UNIT(s, work)                                                                                             \
    TABLES(struct elementwise_shape, t, s, s.rank);                                                                    \
    const long units_per_row = (s.inner + UNIT - 1) / UNIT;                                                            \
    const long begin = (long)get_group_id(0) * s.units_per_group;                                                      \
    const long end = min(begin + s.units_per_group, s.units);                                                          \
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {                                               \
        const long row = s.rank == 0 ? 0 : s.down ? unit % s.outer : unit / units_per_row;                             \
        const long first = (s.down ? unit / s.outer : unit - row * units_per_row) * UNIT;                              \
        const int count = (int)min(s.inner - first, (long)UNIT);                                                       \
        long out_i = out_at + first * s.out_inner, a_i = a_at + first * s.a_inner;                                     \
        long rest = row;                                                                                               \
        for (int d = s.rank - 1; d >= 0; d--) {                                                                        \
            const long c = rest % t->sizes[d];                                                                         \
            rest /= t->sizes[d];                                                                                       \
            out_i += c * t->out_strides[d];                                                                            \
            a_i += c * t->a_strides[d];                                                                                \
        }                                                                                                              \
        work                                                                                                           \
    }
#define EACH_UNIT2(s, work)                                                                                            \
    TABLES(struct elementwise_shape, t, s, s.rank);                                                                    \
    const long units_per_row = (s.inner + UNIT - 1) / UNIT;                                                            \
    const long begin = (long)get_group_id(0) * s.units_per_group;                                                      \
    const long end = min(begin + s.units_per_group, s.units);                                                          \
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {                                               \
        const long row = s.rank == 0 ? 0 : s.down ? unit % s.outer : unit / units_per_row;                             \
        const long first = (s.down ? unit / s.outer : unit - row * units_per_row) * UNIT;                              \
        const int count = (int)min(s.inner - first, (long)UNIT);                                                       \
        long out_i = out_at + first * s.out_inner, a_i = a_at + first * s.a_inner, b_i = b_at + first * s.b_inner;     \
        long rest = row;                                                                                               \
        for (int d = s.rank - 1; d >= 0; d--) {                                                                        \
            const long c = rest % t->sizes[d];                                                                         \
            rest /= t->sizes[d];                                                                                       \
            out_i += c * t->out_strides[d];                                                                            \
            a_i += c * t->a_strides[d];                                                                                \
            b_i += c * t->b_strides[d];                                                                                \
        }                                                                                                              \
        work                                                                                                           \
    }

/* A case of a switch: every vector v of x becomes `expression`; with w of y beside it. */
#define EACH(expression)                                                                                               \
    for (int u = 0; u < UNROLL; u++) {                                                                                 \
        const floatv v = x[u];                                                                                         \
        x[u] = (expression);                                                                                           \
    }                                                                                                                  \
    break
#define EACH_PAIR(expression)                                                                                          \
    for (int u = 0; u < UNROLL; u++) {                                                                                 \
        const floatv v = x[u], w = y[u];                                                                               \
        x[u] = (expression);                                                                                           \
    }                                                                                                                  \
    break

#define UNARY_KERNEL(name, apply)                                                                                      \
    __kernel void name(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,       \
                       const struct elementwise_shape s) {                                                             \
        EACH_UNIT(s, floatv x[UNROLL]; load_unit(x, a, a_i, s.a_inner, count); apply(s.op, x, s.p0, s.p1);             \
                  store_unit(out, out_i, s.out_inner, count, x);)                                                      \
    }
#define BINARY_KERNEL(name, apply)                                                                                     \
    __kernel void name(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,       \
                       __global const storage_t* b, const long b_at, const struct elementwise_shape s) {               \
        EACH_UNIT2(s, floatv x[UNROLL]; floatv y[UNROLL]; load_unit(x, a, a_i, s.a_inner, count);                      \
                   load_unit(y, b, b_i, s.b_inner, count); apply(s.op, x, y, s.p0);                                    \
                   store_unit(out, out_i, s.out_inner, count, x);)                                                     \
    }

/* times / (1 + exp(-v)), where exp never overflows, so that small results stay right. */
static inline floatv sigmoid_of(floatv v, floatv times) {
    const floatv e = exp(-fabs(v));
    return times * select(e, broadcast_v(1.0f), v >= 0.0f) / (1.0f + e);
}
