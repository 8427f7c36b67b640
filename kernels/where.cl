/* out = condition ? a : b, bits as they are, over any strides. SIZE: bytes of an element; conditions are bytes, or
 * elements of the same size of which only the bits in `mask` count (not the sign of a zero). */
#include "devq.cl"
#include "bits.cl"

struct where_shape {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long out_strides[8], c_strides[8], a_strides[8], b_strides[8];
    long inner, out_inner, c_inner, a_inner, b_inner;
    long units, units_per_group; /* a unit: up to `unit` neighbours of one inner row */
    ulong mask;
    int rank, unit, bytes, unused;
};

__kernel void where(__global element_t* out, const long out_at, __global const uchar* condition, const long c_at,
                    __global const element_t* a, const long a_at, __global const element_t* b, const long b_at,
                    const struct where_shape s) {
    TABLES(struct where_shape, t, s, s.rank);
    __global const element_t* wide = (__global const element_t*)condition;
    const element_t mask = (element_t)s.mask;
    const long units_per_row = (s.inner + s.unit - 1) / s.unit;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = s.rank == 0 ? 0 : unit / units_per_row, first = (unit - row * units_per_row) * s.unit;
        const int count = (int)min(s.inner - first, (long)s.unit);
        long out_i = out_at + first * s.out_inner, c_i = c_at + first * s.c_inner;
        long a_i = a_at + first * s.a_inner, b_i = b_at + first * s.b_inner, rest = row;
        for (int d = s.rank - 1; d >= 0; d--) {
            const long c = rest % t->sizes[d];
            rest /= t->sizes[d];
            out_i += c * t->out_strides[d];
            c_i += c * t->c_strides[d];
            a_i += c * t->a_strides[d];
            b_i += c * t->b_strides[d];
        }
        if (s.bytes) {
            for (int i = 0; i < count; i++) {
                const element_t x = a[a_i + i * s.a_inner], y = b[b_i + i * s.b_inner];
                out[out_i + i * s.out_inner] = condition[c_i + i * s.c_inner] ? x : y;
            }
        } else {
            for (int i = 0; i < count; i++) {
                const element_t x = a[a_i + i * s.a_inner], y = b[b_i + i * s.b_inner];
                out[out_i + i * s.out_inner] = (wide[c_i + i * s.c_inner] & mask) ? x : y;
            }
        }
    }
}
