/* out = 1 where a test of a, or of a and b, is true, else 0; in the inputs' type or in bytes; any strides. */
#include "devq.cl"
#include "units.cl"

#define HOLDS(name, condition)                                                                                         \
    case name:                                                                                                         \
        for (int u = 0; u < UNROLL; u++) {                                                                             \
            const floatv v = x[u], w = y[u];                                                                           \
            x[u] = select(broadcast_v(0.0f), broadcast_v(1.0f), (condition));                                          \
        }                                                                                                              \
        break
/* w - w is 0 where w is finite, else NaN. */

static inline void apply_test(int op, floatv* x, const floatv* y) {
    switch (op) {
    HOLDS(unary_logical_not, w == 0.0f);
    HOLDS(unary_is_nan, w != w);
    HOLDS(unary_is_inf, fabs(w) == INFINITY);
    HOLDS(unary_is_finite, w - w == 0.0f);
    default: break;
    }
}
static inline void apply_comparison(int op, floatv* x, const floatv* y) {
    switch (op) {
    HOLDS(binary_equal, v == w);
    HOLDS(binary_not_equal, v != w);
    HOLDS(binary_less, v < w);
    HOLDS(binary_less_equal, v <= w);
    HOLDS(binary_greater, v > w);
    HOLDS(binary_greater_equal, v >= w);
    HOLDS(binary_logical_and, (v != 0.0f) & (w != 0.0f));
    HOLDS(binary_logical_or, (v != 0.0f) | (w != 0.0f));
    HOLDS(binary_logical_xor, (v != 0.0f) != (w != 0.0f));
    default: break;
    }
}

static inline void store_truth(__global uchar* out, long i, long stride, int count, const floatv* x, int bytes) {
    if (!bytes) {
        store_unit((__global storage_t*)out, i, stride, count, x);
        return;
    }
    for (int u = 0; u < UNROLL; u++) {
        float lanes[VW];
        vstore_v(x[u], lanes);
        for (int j = 0; j < VW; j++)
            if (u * VW + j < count)
                out[i + (u * VW + j) * stride] = lanes[j] != 0.0f ? 1 : 0;
    }
}

__kernel void test(__global uchar* out, const long out_at, __global const storage_t* a, const long a_at,
                   const struct elementwise_shape s) {
    EACH_UNIT(s, floatv x[UNROLL]; load_unit(x, a, a_i, s.a_inner, count); apply_test(s.op, x, x);
              store_truth(out, out_i, s.out_inner, count, x, s.bytes);)
}

__kernel void compare(__global uchar* out, const long out_at, __global const storage_t* a, const long a_at,
                      __global const storage_t* b, const long b_at, const struct elementwise_shape s) {
    EACH_UNIT2(s, floatv x[UNROLL]; floatv y[UNROLL]; load_unit(x, a, a_i, s.a_inner, count);
               load_unit(y, b, b_i, s.b_inner, count); apply_comparison(s.op, x, y);
               store_truth(out, out_i, s.out_inner, count, x, s.bytes);)
}
