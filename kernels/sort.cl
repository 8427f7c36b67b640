/* Sorting along one axis: what the types and strides are about. Elements become unsigned keys of the same order, in
 * which NaN is above everything and the two zeros are one; kernels/radix.cl moves keys with their places. Here: rows so
 * short that counting who comes first is all there is to do, keys from elements, and results from places.
 * T: also i32, as which its bits are read. */
#define i32 4
#if T == i32
#define KEY_BITS 32
#undef T
#define T f32
#define WHOLE 1
#else
#define WHOLE 0
#endif
#include "devq.cl"
#include "places.cl"

#if T == f32
typedef uint element_t;
#define KEY_BITS 32
#define INFINITE 0x7f800000u
#else
typedef ushort element_t;
#define KEY_BITS 16
#define INFINITE (T == f16 ? 0x7c00u : 0x7f80u)
#endif
#define TOP (1u << (KEY_BITS - 1))

struct sort_shape {
    struct three_axes axes; /* values, indices, in; all but the sorted axis */
    long length, kept;      /* of a row; the results wanted of it */
    long values_stride, indices_stride, in_stride;
    long first;                  /* number of the first row here */
    long total;                  /* elements in each of the four parts of the workspace */
    long units, units_per_group; /* rows, or pieces of `piece` elements of a row */
    uint flip;                   /* exclusive-or of keys: all ones for descending order */
    int rank, piece, has_values, has_indices;
};

static inline uint key_of(uint bits, uint flip) {
#if WHOLE
    return bits ^ TOP ^ flip;
#else
    const uint magnitude = bits & (TOP - 1);
    const uint number = bits & TOP ? TOP - magnitude : TOP + magnitude;
    return (magnitude > INFINITE ? TOP + (TOP - 1) : number) ^ flip;
#endif
}

#define SHORT 32
#if GROUP == 1
#define ROW_KEYS(name) uint name[SHORT]
#else
#define ROW_KEYS(name) __local uint name[SHORT]
#endif

/* An element's place: how many keys are smaller, and how many equal ones stand before it. */
__kernel void sort_short(__global element_t* values, const long values_at, __global int* indices,
                         const long indices_at, __global const element_t* in, const long in_at,
                         const struct sort_shape s) {
    TABLES(struct three_axes, axes, s.axes, s.rank);
    ROW_KEYS(keys);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const int length = (int)s.length;
    for (long row = begin; row < end; row++) {
        const struct three_places p = places_of(axes, s.rank, row, values_at, indices_at, in_at);
        for (int i = LOCAL_ID; i < length; i += LOCAL_SIZE)
            keys[i] = key_of(in[p.c + i * s.in_stride], s.flip);
        group_barrier();
        for (int i = LOCAL_ID; i < length; i += LOCAL_SIZE) {
            const uint key = keys[i];
            int rank = 0;
            for (int j = 0; j < length; j++)
                rank += (keys[j] < key) | ((keys[j] == key) & (j < i));
            if (rank < s.kept) {
                if (s.has_values)
                    values[p.a + rank * s.values_stride] = in[p.c + i * s.in_stride];
                if (s.has_indices)
                    indices[p.b + rank * s.indices_stride] = i;
            }
        }
        group_barrier();
    }
}

/* Keys and places of all rows into the first two parts of the workspace. */
__kernel void sort_keys(__global uint* work, const long work_at, __global const element_t* in, const long in_at,
                        const struct sort_shape s) {
    TABLES(struct three_axes, axes, s.axes, s.rank);
    const long units_per_row = (s.length + s.piece - 1) / s.piece;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin + LOCAL_ID; u < end; u += LOCAL_SIZE) {
        const long row = u / units_per_row, first = (u - row * units_per_row) * s.piece;
        const long last = min(first + s.piece, s.length);
        const struct three_places p = places_of(axes, s.rank, s.first + row, 0, 0, in_at);
        __global uint* to = work + work_at + row * s.length;
        for (long i = first; i < last; i++) {
            to[i] = key_of(in[p.c + i * s.in_stride], s.flip);
            to[s.total + i] = (uint)i;
        }
    }
}

/* The results that are wanted, from the places in the second part of the workspace. */
__kernel void sort_write(__global element_t* values, const long values_at, __global int* indices,
                         const long indices_at, __global const element_t* in, const long in_at,
                         __global const uint* work, const long work_at, const struct sort_shape s) {
    TABLES(struct three_axes, axes, s.axes, s.rank);
    const long units_per_row = (s.kept + s.piece - 1) / s.piece;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin + LOCAL_ID; u < end; u += LOCAL_SIZE) {
        const long row = u / units_per_row, first = (u - row * units_per_row) * s.piece;
        const long last = min(first + s.piece, s.kept);
        const struct three_places p = places_of(axes, s.rank, s.first + row, values_at, indices_at, in_at);
        __global const uint* order = work + work_at + s.total + row * s.length;
        for (long i = first; i < last; i++) {
            const int from = (int)order[i];
            if (s.has_values)
                values[p.a + i * s.values_stride] = in[p.c + from * s.in_stride];
            if (s.has_indices)
                indices[p.b + i * s.indices_stride] = from;
        }
    }
}
