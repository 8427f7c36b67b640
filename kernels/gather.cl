/* out[i, :] = in[rows[i], :], element by element as bits. SIZE: bytes of an element. */
#include "devq.cl"

#if SIZE == 2
typedef ushort element_t;
#else
typedef uint element_t;
#endif

struct gather_shape {
    long count, available, columns;
    long out_row, out_column, in_row, in_column, index_stride;
    long rows_per_group;
    uint missing; /* the bits written for a row that is not there */
    int unused;
};

__kernel void gather_rows(__global element_t* out, const long out_at, __global const element_t* in, const long in_at,
                          __global const int* rows, const long rows_at, const struct gather_shape s) {
    const long begin = (long)get_group_id(0) * s.rows_per_group;
    const long end = min(begin + s.rows_per_group, s.count);
    for (long i = begin; i < end; i++) {
        const long row = rows[rows_at + i * s.index_stride];
        __global element_t* to = out + out_at + i * s.out_row;
        if (row < 0 || row >= s.available) {
            for (long j = LOCAL_ID; j < s.columns; j += LOCAL_SIZE)
                to[j * s.out_column] = (element_t)s.missing;
            continue;
        }
        __global const element_t* from = in + in_at + row * s.in_row;
        long j = (long)LOCAL_ID * VW;
#if VW != 1
        if (s.in_column == 1 && s.out_column == 1)
            for (; j + VW <= s.columns; j += (long)LOCAL_SIZE * VW)
                JOIN(vstore, VW)(JOIN(vload, VW)(0, from + j), 0, to + j);
#endif
        for (; j < s.columns; j += (long)LOCAL_SIZE * VW)
            for (long l = j; l < min(j + VW, s.columns); l++)
                to[l * s.out_column] = from[l * s.in_column];
    }
}
