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
struct scatter_plan {
    long sharing; /* lanes that share a list of indices, one after another */
    long step;    /* of out, along the axis that indices are about */
    long inner, out_inner, in_inner, stripes;
    long order; /* from the sorted indices to the numbers of their terms */
    int count;              /* terms in a list of indices */
    int available, skipped; /* indices are below it; one whose terms are left out */
    int stripe, lane_rank, term_rank, accumulate, unused;
};
/* Three tables: there are not enough scalar registers for them, nor for copying them at once. */
struct scatter_shape {
    struct scatter_lanes lanes;
    struct scatter_terms terms;
    struct scatter_plan plan;
    long units, units_per_group; /* `elements`: lanes · count; `rows`: and for each the stripes of the inner axis */
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
    (((i) == 0 || keys[(i) - 1] != keys[i]) && keys[i] >= 0 && keys[i] < t->available && keys[i] != t->skipped)

__kernel void scatter_rows(__global element_t* out, const long out_at, __global const int* sorted, const long sorted_at,
                           __global const element_t* in, const long in_at, const struct scatter_shape s) {
    TABLES(struct scatter_lanes, lanes, s.lanes, s.plan.lane_rank);
    TABLES(struct scatter_terms, terms, s.terms, s.plan.term_rank);
    TABLES(struct scatter_plan, t, s.plan, 1);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin; u < end; u++) {
        const long number = u / t->stripes, first = (u - number * t->stripes) * t->stripe;
        const long lane = number / t->count, list = lane / t->sharing * t->count;
        const int start = (int)(number - lane * t->count);
        __global const int* keys = sorted + sorted_at + list;
        __global const int* from = keys + t->order;
        if (!begins_run(start))
            continue;
        const int key = keys[start];
        const struct scatter_place p = lane_at(lanes, t->lane_rank, lane, out_at + key * t->step, in_at);
        const long last = min(first + t->stripe, t->inner), wide = VW * UNROLL;
        for (long c = first + LOCAL_ID * wide; c < last; c += LOCAL_SIZE * wide) {
            const int count = (int)min(last - c, wide);
            numberv sums[UNROLL];
            for (int v = 0; v < UNROLL; v++)
                sums[v] = t->accumulate ? load_number_any(out, p.out + (c + v * VW) * t->out_inner, t->out_inner,
                                                         count - v * VW)
                                       : (numberv)(0);
            for (int i = start; i < t->count && keys[i] == key; i++) {
                const long at = p.in + term_at(terms, t->term_rank, from[i]) + c * t->in_inner;
                for (int v = 0; v < UNROLL; v++)
                    sums[v] += load_number_any(in, at + v * VW * t->in_inner, t->in_inner, count - v * VW);
            }
            for (int v = 0; v < UNROLL; v++)
                store_number_any(out, p.out + (c + v * VW) * t->out_inner, t->out_inner, count - v * VW, sums[v]);
        }
    }
}

__kernel void scatter_elements(__global element_t* out, const long out_at, __global const int* sorted,
                               const long sorted_at, __global const element_t* in, const long in_at,
                               const struct scatter_shape s) {
    TABLES(struct scatter_lanes, lanes, s.lanes, s.plan.lane_rank);
    TABLES(struct scatter_terms, terms, s.terms, s.plan.term_rank);
    TABLES(struct scatter_plan, t, s.plan, 1);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long u = begin + LOCAL_ID; u < end; u += LOCAL_SIZE) {
        const long lane = u / t->count, list = lane / t->sharing * t->count;
        const int start = (int)(u - lane * t->count);
        __global const int* keys = sorted + sorted_at + list;
        __global const int* from = keys + t->order;
        if (!begins_run(start))
            continue;
        const int key = keys[start];
        const struct scatter_place p = lane_at(lanes, t->lane_rank, lane, out_at + key * t->step, in_at);
        number_t sum = t->accumulate ? load_number(out, p.out) : 0;
        for (int i = start; i < t->count && keys[i] == key; i++)
            sum += load_number(in, p.in + term_at(terms, t->term_rank, from[i]));
        store_number(out, p.out, sum);
    }
}
