/* Sums of all elements up to each, along one axis. `rows`: a group takes a row, or a block of one, a step of vectors
 * after another; `columns`: a work-item takes a vector of rows that lie side by side and walks the axis. Blocks of one
 * row first have their sums taken (`sums`), and begin with those before them. No sum has in it what comes later: inf or
 * NaN spoil only what follows. T: also i32. */
#define i32 4
#if T == i32
#undef T
#define T f32
#define WHOLE 1
#else
#define WHOLE 0
#endif
#include "devq.cl"
#include "number.cl"
#include "place.cl"

struct scan_shape {
    struct outer_axes axes;             /* of the other dimensions; `columns`: without the innermost */
    long length, out_stride, in_stride; /* of the axis; negative from its end */
    long out_first, in_first;           /* where the axis begins: 0, or its last element */
    long inner, out_inner;              /* `columns`: the innermost other dimension; its stride in the input is 1 */
    long blocks, block;                 /* of a row; elements in one */
    long units, units_per_group;        /* blocks, or vectors of rows */
    int rank, exclusive;
};

/* The sum of x of the items before, and of all. */
#if GROUP == 1
#define group_before(x, scratch, all) (*(all) = (x), (number_t)0)
#else
static inline number_t group_before(number_t x, __local number_t* scratch, number_t* all) {
    const int id = LOCAL_ID, size = LOCAL_SIZE;
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < size; step *= 2) {
        const number_t left = id >= step ? scratch[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= step)
            scratch[id] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *all = scratch[size - 1];
    const number_t before = id > 0 ? scratch[id - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE); /* before anyone writes scratch again */
    return before;
}
#endif

__kernel void scan_sums(__global number_t* sums, const long sums_at, __global const element_t* in, const long in_at,
                        const struct scan_shape s) {
    SCRATCH(number_t, scratch);
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin; u < end; u++) {
        const long row = u / s.blocks, first = (u - row * s.blocks) * s.block;
        const long last = min(first + s.block, s.length);
        const struct place p = place_of(axes, s.rank, row, 0, in_at + s.in_first);
        numberv x = (numberv)(0);
        for (long i = first + LOCAL_ID * VW; i < last; i += LOCAL_SIZE * VW)
            x += load_number_any(in, p.in + i * s.in_stride, s.in_stride, (int)min(last - i, (long)VW));
        number_t lanes[VW], sum = 0, all;
        vstore_v(x, lanes);
        for (int j = 0; j < VW; j++)
            sum += lanes[j];
        group_before(sum, scratch, &all);
        if (LOCAL_ID == 0)
            sums[sums_at + u] = all;
    }
}

__kernel void scan_rows(__global element_t* out, const long out_at, __global const element_t* in, const long in_at,
                        __global const number_t* sums, const long sums_at, const struct scan_shape s) {
    SCRATCH(number_t, scratch);
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)LOCAL_SIZE * VW;
    for (long u = begin; u < end; u++) {
        const long row = u / s.blocks, block = u - row * s.blocks, first = block * s.block;
        const long last = min(first + s.block, s.length);
        const struct place p = place_of(axes, s.rank, row, out_at + s.out_first, in_at + s.in_first);
        number_t carry = 0, all;
        if (s.blocks > 1) {
            for (long b = LOCAL_ID; b < block; b += LOCAL_SIZE)
                carry += sums[sums_at + row * s.blocks + b];
            group_before(carry, scratch, &all);
            carry = all;
        }
        for (long start = first; start < last; start += step) {
            const long i = start + (long)LOCAL_ID * VW;
            const int count = (int)min(last - i, (long)VW);
            number_t lanes[VW], sum = 0;
            vstore_v(load_number_any(in, p.in + i * s.in_stride, s.in_stride, count), lanes);
            if (s.exclusive) {
                for (int j = 0; j < VW; j++) {
                    const number_t x = lanes[j];
                    lanes[j] = sum;
                    sum += x;
                }
            } else {
                for (int j = 0; j < VW; j++)
                    lanes[j] = sum += lanes[j];
            }
            const number_t before = carry + group_before(sum, scratch, &all);
            store_number_any(out, p.out + i * s.out_stride, s.out_stride, count, vload_v(lanes) + before);
            carry += all;
        }
    }
}

__kernel void scan_columns(__global element_t* out, const long out_at, __global const element_t* in, const long in_at,
                           const struct scan_shape s) {
    const long units_per_row = (s.inner + VW - 1) / VW;
    TABLES(struct outer_axes, axes, s.axes, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = unit / units_per_row, first = (unit - row * units_per_row) * VW;
        const struct place p = place_of(axes, s.rank, row, out_at + s.out_first + first * s.out_inner,
                                        in_at + s.in_first + first);
        const int count = (int)min(s.inner - first, (long)VW);
        numberv sum = (numberv)(0);
        for (long i = 0; i < s.length; i++) {
            const numberv x = load_number_any(in, p.in + i * s.in_stride, 1, count);
            const numberv next = sum + x;
            store_number_any(out, p.out + i * s.out_stride, s.out_inner, count, s.exclusive ? sum : next);
            sum = next;
        }
    }
}
