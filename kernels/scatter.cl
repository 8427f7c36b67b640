/* Sums of what goes to the same place, in a fixed order. The indices come sorted, stably, with their terms: who stands
 * at the first of a run of equal ones adds up the whole run. `rows`: many sums side by side have the same indices;
 * `elements`: each has its own. T: also i32. UNROLL: vectors of a row that are added up together. */
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

struct scatter_lanes {
    long sizes[8]; /* outermost first: those that indices vary along, then those that share them */
    long out[8], in[8];
};
struct scatter_terms {
    long sizes[8]; /* the axes that terms are counted along */
    long in[8];
};
struct scatter_shape {
    struct scatter_lanes lanes;
    struct scatter_terms terms;
    long count, sharing;        /* terms in a list of indices; lanes that share a list, one after another */
    long available, step;       /* of out, along the axis that indices are about: its size and stride */
    long skipped;               /* an index whose terms are left out */
    long inner, out_inner, in_inner, stripe;
    long units, units_per_group; /* `elements`: lanes · count; `rows`: and for each the stripes of the inner axis */
    int lane_rank, term_rank, accumulate, unused;
};

struct scatter_place {
    long out, in;
};
static inline struct scatter_place lane_at(table_space const struct scatter_lanes* lanes, int rank, long lane,
                                           long out_at, long in_at) {
    struct scatter_place p;
    p.out = out_at;
    p.in = in_at;
    for (int d = rank - 1; d >= 0; d--) {
        long at = lane;
        if (d > 0) {
            lane /= lanes->sizes[d];
            at -= lane * lanes->sizes[d];
        }
        p.out += at * lanes->out[d];
        p.in += at * lanes->in[d];
    }
    return p;
}
static inline long term_at(table_space const struct scatter_terms* terms, int rank, long term) {
    long in = 0;
    for (int d = rank - 1; d >= 0; d--) {
        long at = term;
        if (d > 0) {
            term /= terms->sizes[d];
            at -= term * terms->sizes[d];
        }
        in += at * terms->in[d];
    }
    return in;
}
/* The index at `i` is the first of its run, and one that counts. */
#define begins_run(i)                                                                                                  \
    (((i) == 0 || keys[(i) - 1] != keys[i]) && keys[i] >= 0 && keys[i] < s.available && keys[i] != s.skipped)

__kernel void scatter_rows(__global element_t* out, const long out_at, __global const int* sorted, const long sorted_at,
                           __global const int* order, const long order_at, __global const element_t* in,
                           const long in_at, const struct scatter_shape s) {
    TABLES(struct scatter_lanes, lanes, s.lanes, s.lane_rank);
    TABLES(struct scatter_terms, terms, s.terms, s.term_rank);
    const long stripes = (s.inner + s.stripe - 1) / s.stripe;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin; u < end; u++) {
        const long number = u / stripes, first = (u - number * stripes) * s.stripe;
        const long lane = number / s.count, start = number - lane * s.count, list = lane / s.sharing * s.count;
        __global const int* keys = sorted + sorted_at + list;
        __global const int* from = order + order_at + list;
        if (!begins_run(start))
            continue;
        const int key = keys[start];
        const struct scatter_place p = lane_at(lanes, s.lane_rank, lane, out_at + key * s.step, in_at);
        const long last = min(first + s.stripe, s.inner), wide = VW * UNROLL;
        for (long c = first + LOCAL_ID * wide; c < last; c += LOCAL_SIZE * wide) {
            const int count = (int)min(last - c, wide);
            numberv sums[UNROLL];
            for (int v = 0; v < UNROLL; v++)
                sums[v] = s.accumulate ? load_number_any(out, p.out + (c + v * VW) * s.out_inner, s.out_inner,
                                                         count - v * VW)
                                       : (numberv)(0);
            for (long i = start; i < s.count && keys[i] == key; i++) {
                const long at = p.in + term_at(terms, s.term_rank, from[i]) + c * s.in_inner;
                for (int v = 0; v < UNROLL; v++)
                    sums[v] += load_number_any(in, at + v * VW * s.in_inner, s.in_inner, count - v * VW);
            }
            for (int v = 0; v < UNROLL; v++)
                store_number_any(out, p.out + (c + v * VW) * s.out_inner, s.out_inner, count - v * VW, sums[v]);
        }
    }
}

__kernel void scatter_elements(__global element_t* out, const long out_at, __global const int* sorted,
                               const long sorted_at, __global const int* order, const long order_at,
                               __global const element_t* in, const long in_at, const struct scatter_shape s) {
    TABLES(struct scatter_lanes, lanes, s.lanes, s.lane_rank);
    TABLES(struct scatter_terms, terms, s.terms, s.term_rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin + LOCAL_ID; u < end; u += LOCAL_SIZE) {
        const long lane = u / s.count, start = u - lane * s.count, list = lane / s.sharing * s.count;
        __global const int* keys = sorted + sorted_at + list;
        __global const int* from = order + order_at + list;
        if (!begins_run(start))
            continue;
        const int key = keys[start];
        const struct scatter_place p = lane_at(lanes, s.lane_rank, lane, out_at + key * s.step, in_at);
        number_t sum = s.accumulate ? load_number(out, p.out) : 0;
        for (long i = start; i < s.count && keys[i] == key; i++)
            sum += load_number(in, p.in + term_at(terms, s.term_rank, from[i]));
        store_number(out, p.out, sum);
    }
}
