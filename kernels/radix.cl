/* Stable sorting of rows of unsigned keys, and of the places that they came from, by BITS bits of the keys at a time,
 * the lowest first. The workspace has four parts of s.total elements: keys, places, and both again to move to and fro.
 * `rows`: a group sorts one row after another. Else blocks of a row are shared out: `count` how often each digit occurs
 * in each block, `offsets` where these elements go, `move`. */
#include "devq.cl"

#define DIGITS (1 << BITS)
#define PER_ITEM 8 /* elements that an item moves in one step; 1 << 15 elements of a step at most */

struct radix_shape {
    long length, total;
    long units, units_per_group;    /* rows, or blocks of them */
    long blocks, block;             /* of a row; elements in one */
    int shift, bits;                /* the digit of this pass; bits of a key */
    int second, unused;             /* the pass moves from the second half of the workspace to the first */
};

#define digit_of(key, shift) ((int)((key) >> (shift)) & (DIGITS - 1))

#if GROUP == 1
#define GROUP_ARRAY(type, name, count) type name[count]
#define group_array
#define all_barrier()
#else
#define GROUP_ARRAY(type, name, count) __local type name[count]
#define group_array __local
#define all_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

/* counts[digit] of the keys; begins and ends with all of the group together. */
static inline void count_digits(__global const uint* keys, long begin, long end, int shift, group_array int* counts) {
    for (int d = LOCAL_ID; d < DIGITS; d += LOCAL_SIZE)
        counts[d] = 0;
    group_barrier();
#if GROUP == 1
    for (long i = begin; i < end; i++)
        counts[digit_of(keys[i], shift)]++;
#else
    for (long i = begin + LOCAL_ID; i < end; i += LOCAL_SIZE)
        atomic_inc(&counts[digit_of(keys[i], shift)]);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

/* Moves keys and places, `from` and `to` being their part of the keys, to to[digit], one after another. */
#if GROUP == 1
#define MOVE_ARRAYS
#define move_arrays
static inline void move_digits(__global uint* work, long total, long from, long to, long begin, long end, int shift,
                               int* next) {
    __global const uint* keys = work + from;
    __global uint* sorted = work + to;
    for (long i = begin; i < end; i++) {
        const uint key = keys[i], place = keys[total + i];
        const int at = next[digit_of(key, shift)]++;
        sorted[at] = key;
        sorted[total + at] = place;
    }
}
#define MOVE(work, total, from, to, begin, end, shift, next)                                                           \
    move_digits(work, total, from, to, begin, end, shift, next)
#else
/* columns[digit][item]: how many of the item's elements have the digit; then, where the first of them goes within the
 * step's elements. */
static inline void move_digits(__global uint* work, long total, long from, long to, long begin, long end, int shift,
                               __local int* next, __local ushort* columns, __local int* sums) {
    __global const uint* keys = work + from;
    __global uint* sorted = work + to;
    const int id = LOCAL_ID, size = LOCAL_SIZE;
    for (long start = begin; start < end; start += (long)size * PER_ITEM) {
        const long first = start + id * PER_ITEM;
        for (int d = 0; d < DIGITS; d++)
            columns[d * size + id] = 0;
        for (int e = 0; e < PER_ITEM; e++)
            if (first + e < end)
                columns[digit_of(keys[first + e], shift) * size + id]++;
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0;
        for (int d = 0; d < DIGITS; d++)
            sum += columns[id * DIGITS + d];
        sums[id] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = 1; step < size; step *= 2) {
            const int left = id >= step ? sums[id - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[id] += left;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        int before = sums[id] - sum;
        for (int d = 0; d < DIGITS; d++) {
            const int count = columns[id * DIGITS + d];
            columns[id * DIGITS + d] = (ushort)before;
            before += count;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = id; d < DIGITS; d += size)
            next[d] -= columns[d * size];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = 0; e < PER_ITEM; e++)
            if (first + e < end) {
                const uint key = keys[first + e], place = keys[total + first + e];
                const int digit = digit_of(key, shift);
                const int at = next[digit] + columns[digit * size + id]++;
                sorted[at] = key;
                sorted[total + at] = place;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = id; d < DIGITS; d += size)
            next[d] += columns[d * size + size - 1]; /* by now behind the last of them */
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#define MOVE_ARRAYS                                                                                                    \
    __local ushort columns[DIGITS * GROUP];                                                                            \
    __local int sums[GROUP]
#define MOVE(work, total, from, to, begin, end, shift, next)                                                           \
    move_digits(work, total, from, to, begin, end, shift, next, columns, sums)
#endif

__kernel void radix_rows(__global uint* work, const long work_at, const struct radix_shape s) {
    GROUP_ARRAY(int, next, DIGITS);
    MOVE_ARRAYS;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long row = begin; row < end; row++) {
        const long home = work_at + row * s.length, away = home + 2 * s.total;
        long from = home, to = away;
        for (int shift = 0; shift < s.bits; shift += BITS) {
            count_digits(work + from, 0, s.length, shift, next);
            const int same = next[digit_of(work[from], shift)] == (int)s.length;
            group_barrier();
            if (same) /* in all keys: no need to move */
                continue;
            if (LOCAL_ID == 0) {
                int sum = 0;
                for (int d = 0; d < DIGITS; d++) {
                    const int count = next[d];
                    next[d] = sum;
                    sum += count;
                }
            }
            group_barrier();
            MOVE(work, s.total, from, to, 0, s.length, shift, next);
            all_barrier();
            const long swapped = from;
            from = to;
            to = swapped;
        }
        if (from != home) {
            for (long i = LOCAL_ID; i < s.length; i += LOCAL_SIZE)
                work[home + s.total + i] = work[from + s.total + i];
        }
        all_barrier();
    }
}

/* counts[row][digit][block] */
__kernel void radix_count(__global int* counts, const long counts_at, __global const uint* work, const long work_at,
                          const struct radix_shape s) {
    GROUP_ARRAY(int, mine, DIGITS);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin; u < end; u++) {
        const long row = u / s.blocks, block = u - row * s.blocks, first = block * s.block;
        const long from = work_at + (s.second ? 2 * s.total : 0) + row * s.length;
        count_digits(work + from, first, min(first + s.block, s.length), s.shift, mine);
        for (int d = LOCAL_ID; d < DIGITS; d += LOCAL_SIZE)
            counts[counts_at + (row * DIGITS + d) * s.blocks + block] = mine[d];
        group_barrier();
    }
}

/* Sums of what comes before, in place. */
__kernel void radix_offsets(__global int* counts, const long counts_at, const struct radix_shape s) {
    SCRATCH(int, sums);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const int length = (int)(DIGITS * s.blocks), share = (length + LOCAL_SIZE - 1) / LOCAL_SIZE;
    const int first = min(LOCAL_ID * share, length), last = min(first + share, length);
    for (long row = begin; row < end; row++) {
        __global int* list = counts + counts_at + row * length;
        int before = 0;
#if GROUP != 1
        for (int i = first; i < last; i++)
            before += list[i];
        sums[LOCAL_ID] = before;
        group_barrier();
        before = 0;
        for (int i = 0; i < LOCAL_ID; i++)
            before += sums[i];
#endif
        for (int i = first; i < last; i++) {
            const int count = list[i];
            list[i] = before;
            before += count;
        }
        group_barrier();
    }
}

__kernel void radix_move(__global uint* work, const long work_at, __global const int* counts, const long counts_at,
                         const struct radix_shape s) {
    GROUP_ARRAY(int, next, DIGITS);
    MOVE_ARRAYS;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin; u < end; u++) {
        const long row = u / s.blocks, block = u - row * s.blocks, first = block * s.block;
        const long home = work_at + row * s.length, away = home + 2 * s.total;
        for (int d = LOCAL_ID; d < DIGITS; d += LOCAL_SIZE)
            next[d] = counts[counts_at + (row * DIGITS + d) * s.blocks + block];
        group_barrier();
        MOVE(work, s.total, s.second ? away : home, s.second ? home : away, first, min(first + s.block, s.length),
             s.shift, next);
    }
}
