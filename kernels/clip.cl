/* Clipping to a global norm: partial sums of squares, their total and the factor, then the scaling in place. */
#include "devq.cl"

struct clip_shape {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long strides[8];
    long inner, inner_stride;
    long units, units_per_chunk; /* a unit: up to VW neighbours of one inner row; a chunk makes one partial sum */
    long per_group;              /* chunks or units */
    int rank, unused;
};

struct piece {
    long at;
    int count;
};
static inline struct piece piece_of(table_space const struct clip_shape* t, int rank, long inner, long inner_stride,
                                    long unit, long gradient_at) {
    const long units_per_row = (inner + VW - 1) / VW;
    const long row = rank == 0 ? 0 : unit / units_per_row, first = (unit - row * units_per_row) * VW;
    struct piece p;
    p.count = (int)min(inner - first, (long)VW);
    p.at = gradient_at + first * inner_stride;
    long rest = row;
    for (int d = rank - 1; d >= 0; d--) {
        p.at += rest % t->sizes[d] * t->strides[d];
        rest /= t->sizes[d];
    }
    return p;
}

__kernel void clip_squares(__global const storage_t* gradient, const long gradient_at, __global float* partials,
                           const long partials_at, const struct clip_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct clip_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.per_group;
    const long chunks = (s.units + s.units_per_chunk - 1) / s.units_per_chunk;
    const long end = min(begin + s.per_group, chunks);
    /* Units of whole vectors, one after another in memory. */
    const long plain = s.rank == 0 && s.inner_stride == 1 ? s.inner / VW : 0;
    const long step = LOCAL_SIZE;
    for (long chunk = begin; chunk < end; chunk++) {
        const long last = min((chunk + 1) * s.units_per_chunk, s.units), last_plain = min(last, plain);
        long unit = chunk * s.units_per_chunk + LOCAL_ID;
        floatv sums[4];
        for (int u = 0; u < 4; u++)
            sums[u] = broadcast_v(0.0f);
        for (; unit + 3 * step < last_plain; unit += 4 * step)
            for (int u = 0; u < 4; u++) {
                const floatv x = load_v(gradient, gradient_at + (unit + u * step) * VW);
                sums[u] += x * x;
            }
        for (; unit < last; unit += step) {
            const struct piece p = piece_of(t, s.rank, s.inner, s.inner_stride, unit, gradient_at);
            const floatv x = load_any(gradient, p.at, s.inner_stride, p.count, 0.0f);
            sums[0] += x * x;
        }
        const float sum = group_sum(sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3])), scratch);
        if (LOCAL_ID == 0)
            partials[partials_at + chunk] = sum;
    }
}

/* One group. */
__kernel void clip_factor(__global float* norm, const long norm_at, __global float* workspace, const long workspace_at,
                          const long count, const float limit) {
    SCRATCH(float, scratch);
    float sum = 0.0f;
    for (long i = LOCAL_ID; i < count; i += LOCAL_SIZE)
        sum += workspace[workspace_at + 1 + i];
    sum = group_sum(sum, scratch);
    if (LOCAL_ID == 0) {
        const float root = sqrt(sum), factor = limit / (root + 1e-6f);
        norm[norm_at] = root;
        workspace[workspace_at] = factor >= 1.0f ? 1.0f : factor; /* NaN stays */
    }
}

__kernel void clip_scale(__global storage_t* gradient, const long gradient_at, __global const float* factor,
                         const long factor_at, const struct clip_shape s) {
    const float scale = factor[factor_at];
    if (scale == 1.0f)
        return; /* nobody goes to the barrier below */
    TABLES(struct clip_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.per_group;
    const long end = min(begin + s.per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const struct piece p = piece_of(t, s.rank, s.inner, s.inner_stride, unit, gradient_at);
        const floatv x = load_any(gradient, p.at, s.inner_stride, p.count, 0.0f);
        store_any(gradient, p.at, s.inner_stride, p.count, x * scale);
    }
}
