/* out = in, converted between storage types FROM and TO, over any strides; stride 0 repeats. UNROLL: vectors a step. */
#include "devq.cl"
#include "place.cl"

#define UNIT (VW * UNROLL)

#if FROM == f32
typedef float from_t;
#define from_load load_f32
#define from_load_v load_f32_v
#elif FROM == f16
typedef half from_t;
#define from_load load_f16
#define from_load_v load_f16_v
#else
typedef ushort from_t;
#define from_load load_bf16
#define from_load_v load_bf16_v
#endif
#if TO == f32
typedef float to_t;
#define to_store store_f32
#define to_store_v store_f32_v
#elif TO == f16
typedef half to_t;
#define to_store store_f16
#define to_store_v store_f16_v
#else
typedef ushort to_t;
#define to_store store_bf16
#define to_store_v store_bf16_v
#endif

struct cast_shape {
    struct outer_axes axes;
    long inner, out_inner, in_inner; /* size and strides of the innermost dimension */
    long outer;                      /* inner rows */
    long units, units_per_group;     /* a unit: up to UNIT neighbours of one inner row */
    int rank;
    int down; /* units go down the rows first: neighbours of a transposed input soon after one another */
};

__kernel void cast(__global to_t* out, const long out_at, __global const from_t* in, const long in_at,
                   const struct cast_shape s) {
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long units_per_row = (s.inner + UNIT - 1) / UNIT;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = s.rank == 0 ? 0 : s.down ? unit % s.outer : unit / units_per_row;
        const long first = (s.down ? unit / s.outer : unit - row * units_per_row) * UNIT;
        const long count = min(s.inner - first, (long)UNIT);
        const struct place p = place_of(axes, s.rank, row, out_at + first * s.out_inner, in_at + first * s.in_inner);
        if (count == UNIT && s.out_inner == 1 && s.in_inner == 1) {
            for (int u = 0; u < UNROLL; u++)
                to_store_v(out, p.out + u * VW, from_load_v(in, p.in + u * VW));
        } else {
            for (int i = 0; i < (int)count; i++)
                to_store(out, p.out + i * s.out_inner, from_load(in, p.in + i * s.in_inner));
        }
    }
}
