/* How many elements fall into each of the bins, equally wide. `few`: a group counts for itself first; `many`: straight
 * into the result. Counts are whole numbers: their order does not matter. */
#include "devq.cl"

struct histogram_shape {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long strides[8];
    long inner, inner_stride, counts_stride;
    long units, units_per_group; /* a unit: up to `unit` neighbours of one inner row */
    float low, high, scale;
    int bins, rank, unit;
};

/* Outside, and for NaN: -1. No product is part of a sum here, so that every device rounds alike. */
static inline int bin_of(float x, float low, float high, float scale, int bins) {
    if (x >= low && x <= high)
        return min((int)((x - low) * scale), bins - 1);
    return -1;
}

/* Calls COUNT(bin) for all elements of the group's units. */
#define EACH_BIN(COUNT)                                                                                                \
    do {                                                                                                               \
        const long units_per_row = (s.inner + s.unit - 1) / s.unit;                                                    \
        const long begin = (long)get_group_id(0) * s.units_per_group;                                                  \
        const long end = min(begin + s.units_per_group, s.units);                                                      \
        for (long u = begin + LOCAL_ID; u < end; u += LOCAL_SIZE) {                                                    \
            const long row = u / units_per_row, first = (u - row * units_per_row) * s.unit;                            \
            const long last = min(first + s.unit, s.inner);                                                            \
            long at = in_at, rest = row;                                                                               \
            for (int d = s.rank - 1; d >= 0; d--) {                                                                    \
                at += rest % t->sizes[d] * t->strides[d];                                                              \
                rest /= t->sizes[d];                                                                                   \
            }                                                                                                          \
            for (long i = first; i < last; i++) {                                                                      \
                const int bin = bin_of(load(in, at + i * s.inner_stride), s.low, s.high, s.scale, s.bins);             \
                if (bin >= 0)                                                                                          \
                    COUNT(bin);                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#define FEW 2048

__kernel void histogram_few(__global int* counts, const long counts_at, __global const storage_t* in, const long in_at,
                            const struct histogram_shape s) {
    TABLES(struct histogram_shape, t, s, s.rank);
#if GROUP == 1
    int mine[FEW];
#define COUNT_MINE(bin) mine[bin]++
#else
    __local int mine[FEW];
#define COUNT_MINE(bin) atomic_inc(&mine[bin])
#endif
    for (int b = LOCAL_ID; b < s.bins; b += LOCAL_SIZE)
        mine[b] = 0;
    group_barrier();
    EACH_BIN(COUNT_MINE);
    group_barrier();
    for (int b = LOCAL_ID; b < s.bins; b += LOCAL_SIZE)
        if (mine[b] != 0)
            atomic_add(&counts[counts_at + b * s.counts_stride], mine[b]);
}

__kernel void histogram_many(__global int* counts, const long counts_at, __global const storage_t* in,
                             const long in_at, const struct histogram_shape s) {
    TABLES(struct histogram_shape, t, s, s.rank);
#define COUNT_ALL(bin) atomic_inc(&counts[counts_at + (bin) * s.counts_stride])
    EACH_BIN(COUNT_ALL);
}
