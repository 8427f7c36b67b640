/* Variance over any axes. Blocks of up to BLOCK vectors are looked at twice (their mean, then the squares of what is
 * left) and merged into what was before (Chan, Golub and LeVeque, 1979): a mean however large costs no digits. Kernels
 * as in reduce.cl. */
#include "devq.cl"
#include "place.cl"
#include "reduced.cl"

#define BLOCK 16

struct moments {
    float count, mean, squares; /* squares: of the distances from the mean, summed */
};
static inline struct moments moments_of(float count, float mean, float squares) {
    struct moments m;
    m.count = count;
    m.mean = mean;
    m.squares = squares;
    return m;
}
static inline struct moments merged(struct moments a, struct moments b) {
    if (b.count == 0.0f)
        return a;
    if (a.count == 0.0f)
        return b;
    const float count = a.count + b.count, share = b.count / count, distance = b.mean - a.mean;
    return moments_of(count, a.mean + distance * share,
                      a.squares + b.squares + distance * distance * (a.count * share));
}
/* The same for VW results or lanes at once, each of as many elements. */
#define MERGE(count, mean, squares, more, more_mean, more_squares)                                                     \
    {                                                                                                                  \
        const float all = (count) + (more), share = (more) / all;                                                      \
        const floatv distance = (more_mean) - (mean);                                                                  \
        (mean) = (mean) + distance * share;                                                                            \
        (squares) = (squares) + (more_squares) + distance * distance * ((count) * share);                              \
        (count) = all;                                                                                                 \
    }

static inline float variance_of(const struct reduce_shape* s, float squares) {
    const long divisor = s->total - s->correction;
    return divisor > 0 ? squares / (float)divisor : NAN;
}

#if GROUP == 1
#define group_merged(m, scratch) (m)
#else
static inline struct moments group_merged(struct moments m, __local struct moments* scratch) {
    const int id = LOCAL_ID;
    scratch[id] = m;
    group_barrier();
    for (int half_size = LOCAL_SIZE / 2; half_size > 0; half_size /= 2) {
        if (id < half_size)
            scratch[id] = merged(scratch[id], scratch[id + half_size]);
        group_barrier();
    }
    m = scratch[0];
    group_barrier();
    return m;
}
#endif

static inline void store_moments(__global float* partial, long at, struct moments m) {
    partial[at] = m.count;
    partial[at + 1] = m.mean;
    partial[at + 2] = m.squares;
}

__kernel void variance_rows(__global storage_t* out, const long out_at, __global const storage_t* in, const long in_at,
                            __global float* partial, const long partial_at, const struct reduce_shape s) {
    SCRATCH(struct moments, scratch);
    TABLES(struct reduce_shape, t, s, s.rank + s.over_rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)s.across * VW;
    for (long unit = begin; unit < end; unit++) {
        const long row = s.parts == 1 ? unit : unit / s.parts;
        const struct share mine = share_of(&s, unit - row * s.parts);
        const struct place p = place_of(&t->axes, s.rank, row, out_at, in_at);
        struct moments all = moments_of(0.0f, 0.0f, 0.0f);
        float count = 0.0f; /* of each lane */
        floatv mean = broadcast_v(0.0f), squares = broadcast_v(0.0f);
        for (long segment = mine.segment + LOCAL_ID / s.across; segment < mine.segments_end;
             segment += LOCAL_SIZE / s.across) {
            const long from = p.in + segment_at(t, s.over_rank, segment);
            long i = mine.begin + (long)(LOCAL_ID % s.across) * VW;
            while (i + VW <= mine.end) {
                const long block = i;
                floatv sum = broadcast_v(0.0f), rest = broadcast_v(0.0f);
                int vectors = 0;
                for (; vectors < BLOCK && i + VW <= mine.end; vectors++, i += step)
                    sum += load_any(in, from + i * s.stride, s.stride, VW, 0.0f);
                const floatv middle = sum / (float)vectors;
                for (int b = 0; b < vectors; b++) {
                    const floatv d =
                        load_any(in, from + (block + b * step) * s.stride, s.stride, VW, 0.0f) - middle;
                    rest += d * d;
                }
                MERGE(count, mean, squares, (float)vectors, middle, rest);
            }
            if (i < mine.end) { /* fewer than a vector */
                const int left = (int)(mine.end - i);
                float sum = 0.0f, rest = 0.0f;
                for (int j = 0; j < left; j++)
                    sum += load(in, from + (i + j) * s.stride);
                const float middle = sum / (float)left;
                for (int j = 0; j < left; j++) {
                    const float d = load(in, from + (i + j) * s.stride) - middle;
                    rest += d * d;
                }
                all = merged(all, moments_of((float)left, middle, rest));
            }
        }
        if (count > 0.0f) {
            float means[VW], rests[VW];
            vstore_v(mean, means);
            vstore_v(squares, rests);
            for (int j = 0; j < VW; j++)
                all = merged(all, moments_of(count, means[j], rests[j]));
        }
        all = group_merged(all, scratch);
        if (LOCAL_ID == 0) {
            if (s.parts > 1)
                store_moments(partial, partial_at + 3 * unit, all);
            else
                store(out, p.out, variance_of(&s, all.squares));
        }
    }
}

__kernel void variance_columns(__global storage_t* out, const long out_at, __global const storage_t* in,
                               const long in_at, __global float* partial, const long partial_at,
                               const struct reduce_shape s) {
    TABLES(struct reduce_shape, t, s, s.rank + s.over_rank);
    const long units_per_row = (s.inner + VW - 1) / VW, units_per_part = units_per_row * s.rows;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long part = s.parts == 1 ? 0 : unit / units_per_part, piece = unit - part * units_per_part;
        const long row = piece / units_per_row, first = (piece - row * units_per_row) * VW;
        const struct share mine = share_of(&s, part);
        const struct place p = place_of(&t->axes, s.rank, row, out_at + first * s.out_inner, in_at + first);
        const int lanes = (int)min(s.inner - first, (long)VW);
        float count = 0.0f;
        floatv mean = broadcast_v(0.0f), squares = broadcast_v(0.0f);
        for (long segment = mine.segment; segment < mine.segments_end; segment++) {
            const long from = p.in + segment_at(t, s.over_rank, segment);
            for (long i = mine.begin; i < mine.end; i += BLOCK) {
                const int rows = (int)min(mine.end - i, (long)BLOCK);
                floatv sum = broadcast_v(0.0f), rest = broadcast_v(0.0f);
                for (int b = 0; b < rows; b++)
                    sum += load_any(in, from + (i + b) * s.stride, 1, lanes, 0.0f);
                const floatv middle = sum / (float)rows;
                for (int b = 0; b < rows; b++) {
                    const floatv d = load_any(in, from + (i + b) * s.stride, 1, lanes, 0.0f) - middle;
                    rest += d * d;
                }
                MERGE(count, mean, squares, (float)rows, middle, rest);
            }
        }
        if (s.parts == 1) {
            const long divisor = s.total - s.correction;
            store_any(out, p.out, s.out_inner, lanes,
                      divisor > 0 ? squares / (float)divisor : broadcast_v(NAN));
            continue;
        }
        float means[VW], rests[VW];
        vstore_v(mean, means);
        vstore_v(squares, rests);
        for (int j = 0; j < VW; j++)
            if (j < lanes)
                store_moments(partial, partial_at + 3 * ((row * s.inner + first + j) * s.parts + part),
                              moments_of(count, means[j], rests[j]));
    }
}

__kernel void variance_parts(__global storage_t* out, const long out_at, __global const float* partial,
                             const long partial_at, const struct reduce_shape s) {
    SCRATCH(struct moments, scratch);
    TABLES(struct reduce_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long r = begin; r < end; r++) {
        struct moments all = moments_of(0.0f, 0.0f, 0.0f);
        for (long part = LOCAL_ID; part < s.parts; part += LOCAL_SIZE) {
            const long from = partial_at + 3 * (r * s.parts + part);
            all = merged(all, moments_of(partial[from], partial[from + 1], partial[from + 2]));
        }
        all = group_merged(all, scratch);
        if (LOCAL_ID == 0)
            store(out, result_at(t, &s, r, out_at), variance_of(&s, all.squares));
    }
}
