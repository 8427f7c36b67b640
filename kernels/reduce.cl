/* sum, mean, max and argmax along one axis. `rows`: a group (its work-items together) takes one result after another
 * and reads along the axis; `columns`: a work-item takes results that lie side by side in the input and walks the axis,
 * which is fast where the axis is not the contiguous one. UNROLL: vectors that a step handles. */
#include "devq.cl"
#include "place.cl"

#define UNIT (VW * UNROLL)
/* The order of devq::ops::Reduction. */
#define OP_MEAN 1
#define OP_MAX 2

struct reduce_shape {
    struct outer_axes axes;             /* of the kept dimensions; `columns`: without the innermost */
    long length, stride;                /* of the reduced axis */
    long inner, out_inner;              /* `columns`: the innermost kept dimension; its stride in the input is 1 */
    long units, units_per_group;        /* results, or pieces of UNIT results for `columns` */
    int rank, op;
};

__kernel void reduce_rows(__global storage_t* out, const long out_at, __global const storage_t* in, const long in_at,
                          const struct reduce_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)LOCAL_SIZE * VW;
    for (long row = begin; row < end; row++) {
        const struct place p = place_of(axes, s.rank, row, out_at, in_at);
        long i = (long)LOCAL_ID * VW;
        float result;
        if (s.op == OP_MAX) {
            floatv most = broadcast_v(-INFINITY);
            if (s.stride == 1)
                for (; i + VW <= s.length; i += step) {
                    const floatv x = load_v(in, p.in + i);
                    most = max_nan(x, most);
                }
            for (; i < s.length; i += step) {
                const floatv x =
                    load_some(in, p.in + i * s.stride, s.stride, (int)min(s.length - i, (long)VW), -INFINITY);
                most = max_nan(x, most);
            }
            result = group_max(max_lanes(most), scratch);
        } else {
            floatv sums[4];
            for (int u = 0; u < 4; u++)
                sums[u] = broadcast_v(0.0f);
            if (s.stride == 1) {
                for (; i + 3 * step + VW <= s.length; i += 4 * step) {
                    sums[0] += load_v(in, p.in + i);
                    sums[1] += load_v(in, p.in + i + step);
                    sums[2] += load_v(in, p.in + i + 2 * step);
                    sums[3] += load_v(in, p.in + i + 3 * step);
                }
                for (; i + VW <= s.length; i += step)
                    sums[0] += load_v(in, p.in + i);
            }
            for (; i < s.length; i += step)
                sums[0] += load_some(in, p.in + i * s.stride, s.stride, (int)min(s.length - i, (long)VW), 0.0f);
            result = group_sum(sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3])), scratch);
            if (s.op == OP_MEAN)
                result /= (float)s.length;
        }
        if (LOCAL_ID == 0)
            store(out, p.out, result);
    }
}

__kernel void reduce_columns(__global storage_t* out, const long out_at, __global const storage_t* in, const long in_at,
                             const struct reduce_shape s) {
    const long units_per_row = (s.inner + UNIT - 1) / UNIT;
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = unit / units_per_row, first = (unit - row * units_per_row) * UNIT;
        struct place p = place_of(axes, s.rank, row, out_at + first * s.out_inner, in_at + first);
        const int count = (int)min(s.inner - first, (long)UNIT);
        floatv x[UNROLL];
        for (int u = 0; u < UNROLL; u++)
            x[u] = broadcast_v(s.op == OP_MAX ? -INFINITY : 0.0f);
        for (long i = 0; i < s.length; i++, p.in += s.stride) {
            floatv y[UNROLL];
            if (count == UNIT) {
                for (int u = 0; u < UNROLL; u++)
                    y[u] = load_v(in, p.in + u * VW);
            } else {
                for (int u = 0; u < UNROLL; u++)
                    y[u] = load_any(in, p.in + u * VW, 1, count - u * VW, 0.0f);
            }
            if (s.op == OP_MAX) {
                for (int u = 0; u < UNROLL; u++)
                    x[u] = max_nan(y[u], x[u]);
            } else {
                for (int u = 0; u < UNROLL; u++)
                    x[u] += y[u];
            }
        }
        for (int u = 0; u < UNROLL; u++)
            store_any(out, p.out + u * VW * s.out_inner, s.out_inner, count - u * VW,
                      s.op == OP_MEAN ? x[u] / (float)s.length : x[u]);
    }
}

/* The better of two candidates: a NaN before any number, then the larger, then the earlier. */
struct candidate {
    float value;
    int index;
};
static inline struct candidate better(struct candidate a, struct candidate b) {
    const int a_nan = a.value != a.value, b_nan = b.value != b.value;
    const int earlier = b.index < a.index;
    const int take_b = a_nan ? b_nan && earlier : b_nan || b.value > a.value || (b.value == a.value && earlier);
    if (take_b)
        return b;
    return a;
}

__kernel void argmax_rows(__global int* out, const long out_at, __global const storage_t* in, const long in_at,
                          const struct reduce_shape s) {
    SCRATCH(float, values);
    SCRATCH(int, indices);
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)LOCAL_SIZE * VW;
    for (long row = begin; row < end; row++) {
        const struct place p = place_of(axes, s.rank, row, out_at, in_at);
        int lanes_i[VW];
        for (int j = 0; j < VW; j++)
            lanes_i[j] = LOCAL_ID * VW + j; /* right even where every element is -inf: ties go to the lowest */
        intv now = vload_v(lanes_i), at = now;
        floatv most = broadcast_v(-INFINITY);
        for (long i = (long)LOCAL_ID * VW; i < s.length; i += step) {
            const floatv x = load_any(in, p.in + i * s.stride, s.stride, (int)min(s.length - i, (long)VW), -INFINITY);
            const intv take = (x > most) | ((x != x) & (most == most));
            most = select(most, x, take);
            at = select(at, now, take);
            now += (int)step;
        }
        float lanes[VW];
        vstore_v(most, lanes);
        vstore_v(at, lanes_i);
        struct candidate best;
        best.value = lanes[0];
        best.index = lanes_i[0];
        for (int j = 1; j < VW; j++) {
            struct candidate other;
            other.value = lanes[j];
            other.index = lanes_i[j];
            best = better(best, other);
        }
#if GROUP != 1
        const int id = LOCAL_ID;
        values[id] = best.value;
        indices[id] = best.index;
        group_barrier();
        for (int half_size = LOCAL_SIZE / 2; half_size > 0; half_size /= 2) {
            if (id < half_size) {
                struct candidate other;
                other.value = values[id + half_size];
                other.index = indices[id + half_size];
                best = better(best, other);
                values[id] = best.value;
                indices[id] = best.index;
            }
            group_barrier();
        }
#endif
        if (LOCAL_ID == 0)
            out[p.out] = best.index;
        group_barrier();
    }
}

__kernel void argmax_columns(__global int* out, const long out_at, __global const storage_t* in, const long in_at,
                             const struct reduce_shape s) {
    const long units_per_row = (s.inner + VW - 1) / VW; /* one vector a step: value and index take two registers */
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = unit / units_per_row, first = (unit - row * units_per_row) * VW;
        struct place p = place_of(axes, s.rank, row, out_at + first * s.out_inner, in_at + first);
        const int count = (int)min(s.inner - first, (long)VW);
        floatv most = broadcast_v(-INFINITY);
        intv at = (intv)(0);
        for (int i = 0; i < (int)s.length; i++, p.in += s.stride) {
            const floatv x = load_any(in, p.in, 1, count, 0.0f);
            const intv take = (x > most) | ((x != x) & (most == most));
            most = select(most, x, take);
            at = select(at, (intv)(i), take);
        }
        int lanes[VW];
        vstore_v(at, lanes);
        for (int j = 0; j < VW; j++) /* counts known when compiling keep lanes in registers */
            if (j < count)
                out[p.out + j * s.out_inner] = lanes[j];
    }
}
