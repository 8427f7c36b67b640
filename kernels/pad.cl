/* out = in with elements around it: a constant, or in's own. SIZE: bytes of an element. */
#include "devq.cl"
#include "bits.cl"

/* The order of devq::ops::Padding. */
#define REFLECT 1
#define REPLICATE 2
#define CIRCULAR 3

struct pad_shape {
    long sizes[8], in_sizes[8], before[8]; /* outermost first; the last axis is walked in units */
    long out_strides[8], in_strides[8];
    long units_per_row, units, units_per_group; /* a unit: up to `unit` neighbours along the last axis */
    ulong bits;
    int rank, mode, unit, unused;
};

/* Where along an axis an element of the output comes from; -1: from nowhere. */
static inline long source_of(long i, long before, long size, int mode) {
    i -= before;
    if (i >= 0 && i < size)
        return i;
    switch (mode) {
    case REFLECT: return i < 0 ? -i : 2 * (size - 1) - i;
    case REPLICATE: return i < 0 ? 0 : size - 1;
    case CIRCULAR: return i < 0 ? i + size : i - size;
    default: return -1;
    }
}

__kernel void pad(__global element_t* out, const long out_at, __global const element_t* in, const long in_at,
                  const struct pad_shape s) {
    TABLES(struct pad_shape, t, s, s.rank);
    const int last = s.rank - 1;
    const long size = t->sizes[last], in_size = t->in_sizes[last], before = t->before[last];
    const long out_step = t->out_strides[last], in_step = t->in_strides[last];
    const element_t value = (element_t)s.bits;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = unit / s.units_per_row, first = (unit - row * s.units_per_row) * s.unit;
        const long stop = min(first + s.unit, size);
        long to = out_at, from = in_at, rest = row;
        int inside = 1;
        for (int d = last - 1; d >= 0; d--) {
            const long c = rest % t->sizes[d];
            rest /= t->sizes[d];
            const long source = source_of(c, t->before[d], t->in_sizes[d], s.mode);
            inside &= source >= 0;
            to += c * t->out_strides[d];
            from += source * t->in_strides[d];
        }
        for (long i = first; i < stop;) {
            if (inside && i >= before && i < before + in_size) { /* in itself */
                const long until = min(stop, before + in_size);
                const int count = (int)(until - i);
                const long target = to + i * out_step, source = from + (i - before) * in_step;
                if (out_step == 1 && in_step == 1) {
                    for (int j = 0; j < count; j++)
                        out[target + j] = in[source + j];
                } else {
                    for (int j = 0; j < count; j++)
                        out[target + j * out_step] = in[source + j * in_step];
                }
                i = until;
            } else {
                const long source = inside ? source_of(i, before, in_size, s.mode) : -1;
                out[to + i * out_step] = source >= 0 ? in[from + source * in_step] : value;
                i++;
            }
        }
    }
}
