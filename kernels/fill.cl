/* Sets every element of a strided tensor. SIZE: bytes of an element; the value comes as its bits. */
#include "devq.cl"
#include "bits.cl"

struct fill_shape {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long strides[8];
    long outer, inner, inner_stride;
    long units, units_per_group; /* a unit: up to `unit` neighbours of one inner row */
    int rank, unit;
};

__kernel void fill(__global element_t* out, const long out_at, const struct fill_shape s, const ulong bits) {
    TABLES(struct fill_shape, t, s, s.rank);
    const element_t value = (element_t)bits;
    const long units_per_row = (s.inner + s.unit - 1) / s.unit;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin + LOCAL_ID; u < end; u += LOCAL_SIZE) {
        const long row = u / units_per_row, first = (u - row * units_per_row) * s.unit;
        const long last = min(first + s.unit, s.inner);
        long at = out_at, rest = row;
        for (int d = s.rank - 1; d >= 0; d--) {
            at += rest % t->sizes[d] * t->strides[d];
            rest /= t->sizes[d];
        }
        if (s.inner_stride == 1)
            for (long i = first; i < last; i++)
                out[at + i] = value;
        else
            for (long i = first; i < last; i++)
                out[at + i * s.inner_stride] = value;
    }
}
