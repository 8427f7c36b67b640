/* sum, mean, max, min, product, norm, argmax and argmin over any axes. `rows`: a group (its work-items together) takes
 * one part of a result after another and reads along the innermost reduced axis; `columns`: a work-item takes results
 * that lie side by side in the input and walks the reduced axes, which is fast where they are not the contiguous ones.
 * `parts`: puts together what the parts of each result gave. UNROLL: vectors that a step handles. */
#include "devq.cl"
#include "place.cl"
#include "reduced.cl"

#define UNIT (VW * UNROLL)
/* The order of devq::ops::Reduction. */
#define OP_MEAN 1
#define OP_MAX 2
#define OP_MIN 4
#define OP_ARGMIN 5
#define OP_PRODUCT 6
#define OP_NORM 7

static inline float fold(int op, float a, float b) {
    switch (op) {
    case OP_MAX: return max_nan(b, a);
    case OP_MIN: return min_nan(b, a);
    case OP_PRODUCT: return a * b;
    default: return a + b;
    }
}
static inline float identity_of(int op) {
    return op == OP_MAX ? -INFINITY : op == OP_MIN ? INFINITY : op == OP_PRODUCT ? 1.0f : 0.0f;
}
static inline float fold_lanes(int op, floatv x) {
    float lanes[VW];
    vstore_v(x, lanes);
    for (int width = VW / 2; width > 0; width /= 2)
        for (int j = 0; j < width; j++)
            lanes[j] = fold(op, lanes[j], lanes[j + width]);
    return lanes[0];
}
#if GROUP == 1
#define group_fold(op, x, scratch) (x)
#else
static inline float group_fold(int op, float x, __local float* scratch) {
    const int id = LOCAL_ID;
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = LOCAL_SIZE / 2; half_size > 0; half_size /= 2) {
        if (id < half_size)
            scratch[id] = fold(op, scratch[id], scratch[id + half_size]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* before anyone writes scratch again */
    return x;
}
#endif

static inline float finished(const struct reduce_shape* s, float x) {
    return s->op == OP_MEAN ? x / (float)s->total : s->op == OP_NORM ? sqrt(x) : x;
}

/* acc = fold(acc, element) for all elements of a share; `expression` of x (an element's vector) and a (what was). */
#define WALK_ROWS(expression)                                                                                          \
    for (long segment = mine.segment + LOCAL_ID / s.across; segment < mine.segments_end;                               \
         segment += LOCAL_SIZE / s.across) {                                                                           \
        const long from = p.in + segment_at(t, s.over_rank, segment);                                                  \
        long i = mine.begin + (long)(LOCAL_ID % s.across) * VW;                                                        \
        if (s.stride == 1) {                                                                                           \
            for (; i + 3 * step + VW <= mine.end; i += 4 * step)                                                       \
                for (int u = 0; u < 4; u++) {                                                                          \
                    const floatv x = load_v(in, from + i + u * step), a = acc[u];                                      \
                    acc[u] = (expression);                                                                             \
                }                                                                                                      \
            for (; i + VW <= mine.end; i += step) {                                                                    \
                const floatv x = load_v(in, from + i), a = acc[0];                                                     \
                acc[0] = (expression);                                                                                 \
            }                                                                                                          \
        }                                                                                                              \
        for (; i < mine.end; i += step) {                                                                              \
            const floatv x =                                                                                           \
                load_some(in, from + i * s.stride, s.stride, (int)min(mine.end - i, (long)VW), nothing);               \
            const floatv a = acc[0];                                                                                   \
            acc[0] = (expression);                                                                                     \
        }                                                                                                              \
    }

__kernel void reduce_rows(__global storage_t* out, const long out_at, __global const storage_t* in, const long in_at,
                          __global float* partial, const long partial_at, const struct reduce_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct reduce_shape, t, s, s.rank + s.over_rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)s.across * VW;
    const float nothing = identity_of(s.op);
    for (long unit = begin; unit < end; unit++) {
        const long row = s.parts == 1 ? unit : unit / s.parts;
        const struct share mine = share_of(&s, unit - row * s.parts);
        const struct place p = place_of(&t->axes, s.rank, row, out_at, in_at);
        floatv acc[4];
        for (int u = 0; u < 4; u++)
            acc[u] = broadcast_v(nothing);
        float result;
        switch (s.op) {
        case OP_MAX: WALK_ROWS(max_nan(x, a)); break;
        case OP_MIN: WALK_ROWS(min_nan(x, a)); break;
        case OP_PRODUCT: WALK_ROWS(a * x); break;
        case OP_NORM: WALK_ROWS(a + x * x); break;
        default: WALK_ROWS(a + x); break;
        }
        result = fold_lanes(s.op, acc[0]);
        for (int u = 1; u < 4; u++)
            result = fold(s.op, result, fold_lanes(s.op, acc[u]));
        result = group_fold(s.op, result, scratch);
        if (LOCAL_ID == 0) {
            if (s.parts > 1)
                partial[partial_at + unit] = result;
            else
                store(out, p.out, finished(&s, result));
        }
    }
}

#define WALK_COLUMNS(expression)                                                                                       \
    for (long segment = mine.segment; segment < mine.segments_end; segment++) {                                        \
        long from = p.in + segment_at(t, s.over_rank, segment) + mine.begin * s.stride;                                \
        for (long i = mine.begin; i < mine.end; i++, from += s.stride)                                                 \
            if (count == UNIT) {                                                                                       \
                for (int u = 0; u < UNROLL; u++) {                                                                     \
                    const floatv x = load_v(in, from + u * VW), a = acc[u];                                            \
                    acc[u] = (expression);                                                                             \
                }                                                                                                      \
            } else {                                                                                                   \
                for (int u = 0; u < UNROLL; u++) {                                                                     \
                    const floatv x = load_any(in, from + u * VW, 1, count - u * VW, 0.0f), a = acc[u];                 \
                    acc[u] = (expression);                                                                             \
                }                                                                                                      \
            }                                                                                                          \
    }

__kernel void reduce_columns(__global storage_t* out, const long out_at, __global const storage_t* in, const long in_at,
                             __global float* partial, const long partial_at, const struct reduce_shape s) {
    TABLES(struct reduce_shape, t, s, s.rank + s.over_rank);
    const long units_per_row = (s.inner + UNIT - 1) / UNIT, units_per_part = units_per_row * s.rows;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long part = s.parts == 1 ? 0 : unit / units_per_part, piece = unit - part * units_per_part;
        const long row = piece / units_per_row, first = (piece - row * units_per_row) * UNIT;
        const struct share mine = share_of(&s, part);
        const struct place p = place_of(&t->axes, s.rank, row, out_at + first * s.out_inner, in_at + first);
        const int count = (int)min(s.inner - first, (long)UNIT);
        floatv acc[UNROLL];
        for (int u = 0; u < UNROLL; u++)
            acc[u] = broadcast_v(identity_of(s.op));
        switch (s.op) {
        case OP_MAX: WALK_COLUMNS(max_nan(x, a)); break;
        case OP_MIN: WALK_COLUMNS(min_nan(x, a)); break;
        case OP_PRODUCT: WALK_COLUMNS(a * x); break;
        case OP_NORM: WALK_COLUMNS(a + x * x); break;
        default: WALK_COLUMNS(a + x); break;
        }
        if (s.parts > 1) {
            for (int u = 0; u < UNROLL; u++) {
                float lanes[VW];
                vstore_v(acc[u], lanes);
                for (int j = 0; j < VW; j++)
                    if (u * VW + j < count)
                        partial[partial_at + (row * s.inner + first + u * VW + j) * s.parts + part] = lanes[j];
            }
            continue;
        }
        for (int u = 0; u < UNROLL; u++) {
            const floatv y = s.op == OP_MEAN ? acc[u] / (float)s.total : s.op == OP_NORM ? sqrt(acc[u]) : acc[u];
            store_any(out, p.out + u * VW * s.out_inner, s.out_inner, count - u * VW, y);
        }
    }
}

__kernel void reduce_parts(__global storage_t* out, const long out_at, __global const float* partial,
                           const long partial_at, const struct reduce_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct reduce_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long r = begin; r < end; r++) {
        float result = identity_of(s.op);
        for (long part = LOCAL_ID; part < s.parts; part += LOCAL_SIZE)
            result = fold(s.op, result, partial[partial_at + r * s.parts + part]);
        result = group_fold(s.op, result, scratch);
        if (LOCAL_ID == 0)
            store(out, result_at(t, &s, r, out_at), finished(&s, result));
    }
}

/* The better of two candidates: a NaN before any number, then the larger, then the earlier. argmin negates values. */
struct candidate {
    float value;
    int index;
};
static inline struct candidate better(struct candidate a, struct candidate b) {
    const int a_nan = a.value != a.value, b_nan = b.value != b.value;
    const int earlier = b.index < a.index;
    const int take_b = a_nan ? b_nan && earlier : b_nan || b.value > a.value || (b.value == a.value && earlier);
    if (take_b)
        return b;
    return a;
}
/* Pointers, no results: Oclgrind cannot run what clang makes of functions with structs, inlined into these loops. */
static inline void consider(struct candidate* best, float value, int index) {
    struct candidate other;
    other.value = value;
    other.index = index;
    *best = better(*best, other);
}
static inline void best_lane(struct candidate* best, floatv values, intv indices) {
    float value[VW];
    int index[VW];
    vstore_v(values, value);
    vstore_v(indices, index);
    best->value = value[0];
    best->index = index[0];
    for (int j = 1; j < VW; j++)
        consider(best, value[j], index[j]);
}
#if GROUP == 1
#define group_best(best, values, indices)
#else
static inline void group_best(struct candidate* best, __local float* values, __local int* indices) {
    const int id = LOCAL_ID;
    values[id] = best->value;
    indices[id] = best->index;
    group_barrier();
    for (int half_size = LOCAL_SIZE / 2; half_size > 0; half_size /= 2) {
        if (id < half_size) {
            consider(best, values[id + half_size], indices[id + half_size]);
            values[id] = best->value;
            indices[id] = best->index;
        }
        group_barrier();
    }
    best->value = values[0];
    best->index = indices[0];
    group_barrier();
}
#endif
#define NO_INDEX 0x7fffffff

/* Indices count the reduced elements in row-major order: segment after segment. */
__kernel void argmax_rows(__global int* out, const long out_at, __global const storage_t* in, const long in_at,
                          __global int* partial, const long partial_at, const struct reduce_shape s) {
    SCRATCH(float, values);
    SCRATCH(int, indices);
    TABLES(struct reduce_shape, t, s, s.rank + s.over_rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)s.across * VW;
    const float nothing = s.op == OP_ARGMIN ? INFINITY : -INFINITY;
    for (long unit = begin; unit < end; unit++) {
        const long row = s.parts == 1 ? unit : unit / s.parts;
        const struct share mine = share_of(&s, unit - row * s.parts);
        const struct place p = place_of(&t->axes, s.rank, row, out_at, in_at);
        const long first = mine.begin + (long)(LOCAL_ID % s.across) * VW;
        long segment = mine.segment + LOCAL_ID / s.across;
        int lanes[VW];
        const int any = segment < mine.segments_end && first < mine.end;
        for (int j = 0; j < VW; j++) /* right even where every element is -inf: ties go to the lowest */
            lanes[j] = any ? (int)(segment * s.length + first) + j : NO_INDEX;
        intv at = vload_v(lanes);
        floatv most = broadcast_v(-INFINITY);
        for (; segment < mine.segments_end; segment += LOCAL_SIZE / s.across) {
            const long from = p.in + segment_at(t, s.over_rank, segment);
            for (int j = 0; j < VW; j++)
                lanes[j] = (int)(segment * s.length + first) + j;
            intv now = vload_v(lanes);
            for (long i = first; i < mine.end; i += step) {
                floatv x =
                    load_any(in, from + i * s.stride, s.stride, (int)min(mine.end - i, (long)VW), nothing);
                if (s.op == OP_ARGMIN)
                    x = -x;
                const intv take = (x > most) | ((x != x) & (most == most));
                most = select(most, x, take);
                at = select(at, now, take);
                now += (int)step;
            }
        }
        struct candidate best;
        best_lane(&best, most, at);
        group_best(&best, values, indices);
        if (LOCAL_ID == 0) {
            if (s.parts > 1) {
                partial[partial_at + 2 * unit] = as_int(best.value);
                partial[partial_at + 2 * unit + 1] = best.index;
            } else {
                out[p.out] = best.index;
            }
        }
    }
}

__kernel void argmax_columns(__global int* out, const long out_at, __global const storage_t* in, const long in_at,
                             __global int* partial, const long partial_at, const struct reduce_shape s) {
    TABLES(struct reduce_shape, t, s, s.rank + s.over_rank);
    const long units_per_row = (s.inner + VW - 1) / VW; /* one vector a step: value and index take two registers */
    const long units_per_part = units_per_row * s.rows;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long part = s.parts == 1 ? 0 : unit / units_per_part, piece = unit - part * units_per_part;
        const long row = piece / units_per_row, first = (piece - row * units_per_row) * VW;
        const struct share mine = share_of(&s, part);
        const struct place p = place_of(&t->axes, s.rank, row, out_at + first * s.out_inner, in_at + first);
        const int count = (int)min(s.inner - first, (long)VW);
        floatv most = broadcast_v(-INFINITY);
        intv at = (intv)((int)(mine.segment * s.length + mine.begin));
        for (long segment = mine.segment; segment < mine.segments_end; segment++) {
            long from = p.in + segment_at(t, s.over_rank, segment) + mine.begin * s.stride;
            int index = (int)(segment * s.length + mine.begin);
            for (long i = mine.begin; i < mine.end; i++, from += s.stride, index++) {
                floatv x = load_any(in, from, 1, count, 0.0f);
                if (s.op == OP_ARGMIN)
                    x = -x;
                const intv take = (x > most) | ((x != x) & (most == most));
                most = select(most, x, take);
                at = select(at, (intv)(index), take);
            }
        }
        float values[VW];
        int lanes[VW];
        vstore_v(most, values);
        vstore_v(at, lanes);
        for (int j = 0; j < VW; j++) { /* counts known when compiling keep lanes in registers */
            if (j < count && s.parts == 1)
                out[p.out + j * s.out_inner] = lanes[j];
            if (j < count && s.parts > 1) {
                const long to = partial_at + 2 * ((row * s.inner + first + j) * s.parts + part);
                partial[to] = as_int(values[j]);
                partial[to + 1] = lanes[j];
            }
        }
    }
}

__kernel void argmax_parts(__global int* out, const long out_at, __global const int* partial, const long partial_at,
                           const struct reduce_shape s) {
    SCRATCH(float, values);
    SCRATCH(int, indices);
    TABLES(struct reduce_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long r = begin; r < end; r++) {
        struct candidate best;
        best.value = -INFINITY;
        best.index = NO_INDEX;
        for (long part = LOCAL_ID; part < s.parts; part += LOCAL_SIZE) {
            const long from = partial_at + 2 * (r * s.parts + part);
            consider(&best, as_float(partial[from]), partial[from + 1]);
        }
        group_best(&best, values, indices);
        if (LOCAL_ID == 0)
            out[result_at(t, &s, r, out_at)] = best.index;
    }
}
