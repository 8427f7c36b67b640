/* Elements picked along one axis, moved as bits. `rows`: the index is the same along the innermost axis, which a group
 * copies as a whole; `elements`: each has an index of its own. SIZE: bytes of an element. */
#include "devq.cl"
#include "places.cl"

#if SIZE == 2
typedef ushort element_t;
#else
typedef uint element_t;
#endif

struct gather_shape {
    struct three_axes axes; /* out, in (0 along the axis picked from), indices; without the innermost axis */
    long available, step;   /* of in, along the axis picked from: its size and stride */
    long inner, out_inner, in_inner, index_inner;
    long units, units_per_group; /* rows; `elements`: pieces of `unit` elements of a row */
    uint missing;                /* the bits written where there is no such index */
    int rank, unit, unused;
};

__kernel void gather_rows(__global element_t* out, const long out_at, __global const element_t* in, const long in_at,
                          __global const int* indices, const long indices_at, const struct gather_shape s) {
    TABLES(struct three_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long i = begin; i < end; i++) {
        const struct three_places p = places_of(axes, s.rank, i, out_at, in_at, indices_at);
        const long row = indices[p.c];
        __global element_t* to = out + p.a;
        if (row < 0 || row >= s.available) {
            for (long j = LOCAL_ID; j < s.inner; j += LOCAL_SIZE)
                to[j * s.out_inner] = (element_t)s.missing;
            continue;
        }
        __global const element_t* from = in + p.b + row * s.step;
        long j = (long)LOCAL_ID * VW;
#if VW != 1
        if (s.in_inner == 1 && s.out_inner == 1)
            for (; j + VW <= s.inner; j += (long)LOCAL_SIZE * VW)
                JOIN(vstore, VW)(JOIN(vload, VW)(0, from + j), 0, to + j);
#endif
        for (; j < s.inner; j += (long)LOCAL_SIZE * VW)
            for (long l = j; l < min(j + VW, s.inner); l++)
                to[l * s.out_inner] = from[l * s.in_inner];
    }
}

__kernel void gather_elements(__global element_t* out, const long out_at, __global const element_t* in,
                              const long in_at, __global const int* indices, const long indices_at,
                              const struct gather_shape s) {
    TABLES(struct three_axes, axes, s.axes, s.rank);
    const long units_per_row = (s.inner + s.unit - 1) / s.unit;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin + LOCAL_ID; u < end; u += LOCAL_SIZE) {
        const long row = u / units_per_row, first = (u - row * units_per_row) * s.unit;
        const long last = min(first + s.unit, s.inner);
        const struct three_places p = places_of(axes, s.rank, row, out_at, in_at, indices_at);
        for (long i = first; i < last; i++) {
            const long at = indices[p.c + i * s.index_inner];
            element_t element = (element_t)s.missing;
            if (at >= 0 && at < s.available)
                element = in[p.b + i * s.in_inner + at * s.step];
            out[p.a + i * s.out_inner] = element;
        }
    }
}
