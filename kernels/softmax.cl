/* Softmax and its logarithm along one axis, and their gradients. `rows`: a group takes one row after another and reads
 * along the axis; `columns`: a work-item takes up to STRIPE vectors of rows that lie side by side. NaN, +inf and all
 * -inf make NaN by themselves: inf - inf is NaN. */
#include "devq.cl"
#include "place.cl"
#include "places.cl"

struct softmax_shape {
    struct outer_axes axes;             /* of the other dimensions; `columns`: without the innermost */
    long length, out_stride, in_stride; /* of the axis */
    long inner;                         /* `columns`: the innermost other dimension; its strides are 1 */
    long units, units_per_group;        /* rows, or stripes of rows */
    int rank, stripe;                   /* rows in a stripe: a multiple of VW */
    int logarithm, unused;
};

__kernel void softmax_rows(__global storage_t* out, const long out_at, __global const storage_t* in, const long in_at,
                           const struct softmax_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)LOCAL_SIZE * VW;
    for (long row = begin; row < end; row++) {
        const struct place p = place_of(axes, s.rank, row, out_at, in_at);
        floatv most = broadcast_v(-INFINITY);
        for (long i = (long)LOCAL_ID * VW; i < s.length; i += step) {
            const floatv x =
                load_any(in, p.in + i * s.in_stride, s.in_stride, (int)min(s.length - i, (long)VW), -INFINITY);
            most = max_nan(x, most);
        }
        const float peak = group_max(max_lanes(most), scratch);
        floatv sums = broadcast_v(0.0f);
        for (long i = (long)LOCAL_ID * VW; i < s.length; i += step) {
            /* lanes beyond the end: exp(-inf - peak) is 0, except where peak makes all of the row NaN anyhow */
            const floatv x =
                load_any(in, p.in + i * s.in_stride, s.in_stride, (int)min(s.length - i, (long)VW), -INFINITY);
            sums += exp(x - peak);
        }
        const float sum = group_sum(sum_lanes(sums), scratch);
        const float scale = s.logarithm ? log(sum) : 1.0f / sum;
        for (long i = (long)LOCAL_ID * VW; i < s.length; i += step) {
            const int count = (int)min(s.length - i, (long)VW);
            const floatv x = load_any(in, p.in + i * s.in_stride, s.in_stride, count, 0.0f) - peak;
            floatv y;
            if (s.logarithm)
                y = x - scale;
            else
                y = exp(x) * scale;
            store_any(out, p.out + i * s.out_stride, s.out_stride, count, y);
        }
    }
}

/* A stripe of rows side by side, so that each visit of memory brings neighbours that are used. */
__kernel void softmax_columns(__global storage_t* out, const long out_at, __global const storage_t* in,
                              const long in_at, const struct softmax_shape s) {
    const long units_per_row = (s.inner + s.stripe - 1) / s.stripe;
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = unit / units_per_row, first = (unit - row * units_per_row) * s.stripe;
        const struct place p = place_of(axes, s.rank, row, out_at + first, in_at + first);
        const int count = (int)min(s.inner - first, (long)s.stripe), vectors = (count + VW - 1) / VW;
        floatv most[STRIPE], sums[STRIPE];
        for (int u = 0; u < vectors; u++) {
            most[u] = broadcast_v(-INFINITY);
            sums[u] = broadcast_v(0.0f);
        }
        for (long i = 0; i < s.length; i++)
            for (int u = 0; u < vectors; u++) {
                const floatv x = load_any(in, p.in + i * s.in_stride + u * VW, 1, count - u * VW, 0.0f);
                most[u] = max_nan(x, most[u]);
            }
        for (long i = 0; i < s.length; i++)
            for (int u = 0; u < vectors; u++)
                sums[u] += exp(load_any(in, p.in + i * s.in_stride + u * VW, 1, count - u * VW, 0.0f) - most[u]);
        if (s.logarithm) {
            for (int u = 0; u < vectors; u++)
                sums[u] = log(sums[u]);
            for (long i = 0; i < s.length; i++)
                for (int u = 0; u < vectors; u++) {
                    const floatv x = load_any(in, p.in + i * s.in_stride + u * VW, 1, count - u * VW, 0.0f);
                    store_any(out, p.out + i * s.out_stride + u * VW, 1, count - u * VW, (x - most[u]) - sums[u]);
                }
        } else {
            for (int u = 0; u < vectors; u++)
                sums[u] = 1.0f / sums[u];
            for (long i = 0; i < s.length; i++)
                for (int u = 0; u < vectors; u++) {
                    const floatv x = load_any(in, p.in + i * s.in_stride + u * VW, 1, count - u * VW, 0.0f);
                    store_any(out, p.out + i * s.out_stride + u * VW, 1, count - u * VW, exp(x - most[u]) * sums[u]);
                }
        }
    }
}

/* a: the gradient of in, written; b: that of out; c: out. */
struct softmax_backward_shape {
    struct three_axes axes;
    long length, a_stride, b_stride, c_stride; /* of the axis */
    long inner;                                /* as above */
    long units, units_per_group;
    int rank, stripe;
    int logarithm, unused;
};

/* What is summed along the axis, and an element of the result: g and y of out's gradient and out. */
static inline floatv backward_term(floatv g, floatv y, int logarithm) {
    if (logarithm)
        return g;
    return g * y;
}
static inline floatv backward_result(floatv g, floatv y, floatv sum, int logarithm) {
    if (logarithm)
        return g - exp(y) * sum;
    return y * (g - sum);
}

__kernel void softmax_backward_rows(__global storage_t* in_gradient, const long in_at,
                                    __global const storage_t* out_gradient, const long gradient_at,
                                    __global const storage_t* out, const long out_at,
                                    const struct softmax_backward_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct three_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)LOCAL_SIZE * VW;
    for (long row = begin; row < end; row++) {
        const struct three_places p = places_of(axes, s.rank, row, in_at, gradient_at, out_at);
        floatv sums = broadcast_v(0.0f);
        for (long i = (long)LOCAL_ID * VW; i < s.length; i += step) {
            const int count = (int)min(s.length - i, (long)VW);
            const floatv g = load_any(out_gradient, p.b + i * s.b_stride, s.b_stride, count, 0.0f);
            sums += backward_term(g, load_any(out, p.c + i * s.c_stride, s.c_stride, count, 0.0f), s.logarithm);
        }
        const floatv sum = broadcast_v(group_sum(sum_lanes(sums), scratch));
        for (long i = (long)LOCAL_ID * VW; i < s.length; i += step) {
            const int count = (int)min(s.length - i, (long)VW);
            const floatv g = load_any(out_gradient, p.b + i * s.b_stride, s.b_stride, count, 0.0f);
            const floatv y = load_any(out, p.c + i * s.c_stride, s.c_stride, count, 0.0f);
            store_any(in_gradient, p.a + i * s.a_stride, s.a_stride, count, backward_result(g, y, sum, s.logarithm));
        }
    }
}

__kernel void softmax_backward_columns(__global storage_t* in_gradient, const long in_at,
                                       __global const storage_t* out_gradient, const long gradient_at,
                                       __global const storage_t* out, const long out_at,
                                       const struct softmax_backward_shape s) {
    const long units_per_row = (s.inner + s.stripe - 1) / s.stripe;
    TABLES(struct three_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = unit / units_per_row, first = (unit - row * units_per_row) * s.stripe;
        const struct three_places p =
            places_of(axes, s.rank, row, in_at + first, gradient_at + first, out_at + first);
        const int count = (int)min(s.inner - first, (long)s.stripe), vectors = (count + VW - 1) / VW;
        floatv sums[STRIPE];
        for (int u = 0; u < vectors; u++)
            sums[u] = broadcast_v(0.0f);
        for (long i = 0; i < s.length; i++)
            for (int u = 0; u < vectors; u++) {
                const floatv g = load_any(out_gradient, p.b + i * s.b_stride + u * VW, 1, count - u * VW, 0.0f);
                const floatv y = load_any(out, p.c + i * s.c_stride + u * VW, 1, count - u * VW, 0.0f);
                sums[u] += backward_term(g, y, s.logarithm);
            }
        for (long i = 0; i < s.length; i++)
            for (int u = 0; u < vectors; u++) {
                const floatv g = load_any(out_gradient, p.b + i * s.b_stride + u * VW, 1, count - u * VW, 0.0f);
                const floatv y = load_any(out, p.c + i * s.c_stride + u * VW, 1, count - u * VW, 0.0f);
                store_any(in_gradient, p.a + i * s.a_stride + u * VW, 1, count - u * VW,
                          backward_result(g, y, sums[u], s.logarithm));
            }
    }
}
