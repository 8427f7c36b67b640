/* out = in, bits as they are, over any strides; stride 0 repeats an element. SIZE: bytes of an element. */
#include "devq.cl"
#include "place.cl"
#include "bits.cl"

struct copy_shape {
    struct outer_axes axes;
    long inner, out_inner, in_inner; /* size and strides of the innermost dimension */
    long outer;                      /* inner rows */
    long units, units_per_group;     /* a unit: up to `unit` neighbours of one inner row */
    int rank, unit;
    int down; /* units go down the rows first: neighbours of a transposed input soon after one another */
    int unused;
};

__kernel void copy(__global element_t* out, const long out_at, __global const element_t* in, const long in_at,
                   const struct copy_shape s) {
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long units_per_row = (s.inner + s.unit - 1) / s.unit;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = s.rank == 0 ? 0 : s.down ? unit % s.outer : unit / units_per_row;
        const long first = (s.down ? unit / s.outer : unit - row * units_per_row) * s.unit;
        const int count = (int)min(s.inner - first, (long)s.unit);
        const struct place p = place_of(axes, s.rank, row, out_at + first * s.out_inner, in_at + first * s.in_inner);
        if (s.out_inner == 1 && s.in_inner == 1) {
            for (int i = 0; i < count; i++)
                out[p.out + i] = in[p.in + i];
        } else {
            for (int i = 0; i < count; i++)
                out[p.out + i * s.out_inner] = in[p.in + i * s.in_inner];
        }
    }
}
