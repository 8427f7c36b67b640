/* Random numbers by Philox: element i of a tensor in row-major order takes word (offset + i) % 4 of block
 * (offset + i) / 4. A work-item makes unit after unit, of UNIT numbers that begin at a block's first. */
#include "devq.cl"
#include "philox.cl"

#define UNIT (4 * LANES)

struct random_shape {
    long sizes[8]; /* outermost first, in the order of the elements' numbers; rank 0: all are neighbours */
    long out_strides[8], in_strides[8];
    ulong first_block, stream;
    long before; /* numbers of the first block that belong to nobody */
    long count, units, units_per_group;
    uint key_0, key_1, limit;
    int always, rank; /* always: limit is 2^32 */
    float scale, mean, unused;
};

#if GROUP == 1
typedef floatv real_t;
#define as_real as_floatv
#define as_word as_uintv
#define as_signed as_intv
#define to_real to_floatv
#if VW == 1
#define signed_to_real convert_float
#else
#define signed_to_real JOIN(convert_float, VW)
#endif
#else
typedef float real_t;
#define as_real as_float
#define as_word as_uint
#define as_signed as_int
#define to_real convert_float
#define signed_to_real convert_float
#endif

/* Numbers count modulo 2^64, so that blocks do modulo 2^62. */
#define BLOCK_MASK 0x3fffffffffffffffUL

/* The words of LANES blocks, one block a lane. */
static inline void blocks_of(word_t c[4], const struct random_shape* s, long unit) {
    const ulong block = s->first_block + (ulong)unit * LANES;
#if LANES == 1
    c[0] = (uint)block;
    c[1] = (uint)((block & BLOCK_MASK) >> 32);
#else
    uint low[LANES], high[LANES];
    for (int j = 0; j < LANES; j++) {
        low[j] = (uint)(block + (ulong)j);
        high[j] = (uint)(((block + (ulong)j) & BLOCK_MASK) >> 32);
    }
    c[0] = vload_v(low);
    c[1] = vload_v(high);
#endif
    c[2] = (word_t)((uint)s->stream);
    c[3] = (word_t)((uint)(s->stream >> 32));
    philox(c, s->key_0, s->key_1);
}

/* In the order of the elements: the words of a block are neighbours. */
static inline void in_order(uint words[UNIT], const word_t c[4]) {
#if LANES == 1
    for (int k = 0; k < 4; k++)
        words[k] = c[k];
#else
    uint lanes[4 * LANES];
    for (int k = 0; k < 4; k++)
        vstore_v(c[k], lanes + k * LANES);
    for (int j = 0; j < LANES; j++)
        for (int k = 0; k < 4; k++)
            words[4 * j + k] = lanes[k * LANES + j];
#endif
}

static inline long place_of_element(table_space const struct random_shape* t, int rank, long i, int of_in) {
    if (rank == 0)
        return i;
    long at = 0;
    for (int d = rank - 1; d >= 0; d--) {
        at += i % t->sizes[d] * (of_in ? t->in_strides[d] : t->out_strides[d]);
        i /= t->sizes[d];
    }
    return at;
}

/* For each unit of this work-item; FIRST_OF is the number of its first element, below 0 in the first block. */
#define FOR_EACH_UNIT(s)                                                                                               \
    const long begin = (long)get_group_id(0) * s.units_per_group;                                                      \
    const long end = min(begin + s.units_per_group, s.units);                                                          \
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE)
#define FIRST_OF(s, unit) ((unit)*UNIT - s.before)
#define IS_WHOLE(s, first) (s.rank == 0 && (first) >= 0 && (first) + UNIT <= s.count)

static inline void store_unit(__global storage_t* out, long out_at, table_space const struct random_shape* t, int rank,
                              long count, long first, const float values[UNIT]) {
    if (rank == 0 && first >= 0 && first + UNIT <= count) {
        for (int i = 0; i < UNIT; i += VW)
            store_v(out, out_at + first + i, vload_v(values + i));
    } else {
        for (int i = 0; i < UNIT; i++)
            if (first + i >= 0 && first + i < count)
                store(out, out_at + place_of_element(t, rank, first + i, 0), values[i]);
    }
}

__kernel void random_bits(__global uint* out, const long out_at, const struct random_shape s) {
    TABLES(struct random_shape, t, s, s.rank);
    FOR_EACH_UNIT(s) {
        word_t c[4];
        uint words[UNIT];
        blocks_of(c, &s, unit);
        in_order(words, c);
        const long first = FIRST_OF(s, unit);
        for (int i = 0; i < UNIT; i++)
            if (first + i >= 0 && first + i < s.count)
                out[out_at + place_of_element(t, s.rank, first + i, 0)] = words[i];
    }
}

/* As many bits as the type has digits: a rounding would make 1. */
#if T == f32
#define UNUSED_BITS 8
#define LAST_BIT 0x1p-24f
#elif T == f16
#define UNUSED_BITS 21
#define LAST_BIT 0x1p-11f
#else
#define UNUSED_BITS 24
#define LAST_BIT 0x1p-8f
#endif

__kernel void random_uniform(__global storage_t* out, const long out_at, const struct random_shape s) {
    TABLES(struct random_shape, t, s, s.rank);
    FOR_EACH_UNIT(s) {
        word_t c[4];
        uint words[UNIT];
        float values[UNIT];
        blocks_of(c, &s, unit);
        in_order(words, c);
        for (int i = 0; i < UNIT; i += VW) {
            const uintv w = vload_v(words + i);
            vstore_v(to_floatv(w >> UNUSED_BITS) * LAST_BIT, values + i);
        }
        store_unit(out, out_at, t, s.rank, s.count, FIRST_OF(s, unit), values);
    }
}

__kernel void random_bernoulli(__global storage_t* out, const long out_at, const struct random_shape s) {
    TABLES(struct random_shape, t, s, s.rank);
    FOR_EACH_UNIT(s) {
        word_t c[4];
        uint words[UNIT];
        float values[UNIT];
        blocks_of(c, &s, unit);
        in_order(words, c);
        for (int i = 0; i < UNIT; i++)
            values[i] = s.always || words[i] < s.limit ? 1.0f : 0.0f;
        store_unit(out, out_at, t, s.rank, s.count, FIRST_OF(s, unit), values);
    }
}

/* Two normal values of two words (Box, Muller 1958). */
static inline void normal_pair(word_t* a, word_t* b, float scale, float mean) {
    /* (a + 1/2) / 2^32: never 0, and both operations are exact or rounded alike everywhere */
    const real_t u = to_real(*a) * 0x1p-32f + 0x1p-33f;
    const real_t length = scale * sqrt(-2.0f * log(u));
    /* b / 2^32 of a turn: the nearest quarter, and the rest as an angle of up to an eighth, whose sine and cosine are
     * polynomials (those of Cephes' sinf and cosf) */
    const word_t quarter = (*b + 0x20000000u) >> 30;
    const real_t x = signed_to_real(as_signed(*b - (quarter << 30))) * (0x1p-30f * 1.57079632679f);
    const real_t z = x * x;
    const real_t sine = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * x + x;
    const real_t cosine =
        ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
    /* Odd quarters change sine and cosine over; the signs are bits. */
    const word_t odd = (word_t)(0) - (quarter & 1u);
    const word_t s = as_word(sine), c = as_word(cosine);
    const word_t cosine_sign = ((quarter + 1u) & 2u) << 30, sine_sign = (quarter & 2u) << 30;
    const real_t turned_cosine = as_real(((s & odd) | (c & ~odd)) ^ cosine_sign);
    const real_t turned_sine = as_real(((c & odd) | (s & ~odd)) ^ sine_sign);
    *a = as_word(length * turned_cosine + mean);
    *b = as_word(length * turned_sine + mean);
}

__kernel void random_normal(__global storage_t* out, const long out_at, const struct random_shape s) {
    TABLES(struct random_shape, t, s, s.rank);
    FOR_EACH_UNIT(s) {
        word_t c[4];
        uint words[UNIT];
        float values[UNIT];
        blocks_of(c, &s, unit);
        normal_pair(&c[0], &c[1], s.scale, s.mean);
        normal_pair(&c[2], &c[3], s.scale, s.mean);
        in_order(words, c);
        for (int i = 0; i < UNIT; i++)
            values[i] = as_float(words[i]);
        store_unit(out, out_at, t, s.rank, s.count, FIRST_OF(s, unit), values);
    }
}

__kernel void random_dropout(__global storage_t* out, const long out_at, __global const storage_t* in,
                             const long in_at, const struct random_shape s) {
    TABLES(struct random_shape, t, s, s.rank);
    FOR_EACH_UNIT(s) {
        word_t c[4];
        uint words[UNIT];
        float values[UNIT];
        blocks_of(c, &s, unit);
        in_order(words, c);
        const long first = FIRST_OF(s, unit);
        if (IS_WHOLE(s, first)) {
            for (int i = 0; i < UNIT; i += VW)
                vstore_v(load_v(in, in_at + first + i), values + i);
        } else {
            for (int i = 0; i < UNIT; i++)
                values[i] = first + i >= 0 && first + i < s.count
                                ? load(in, in_at + place_of_element(t, s.rank, first + i, 1))
                                : 0.0f;
        }
        for (int i = 0; i < UNIT; i++)
            values[i] = s.always || words[i] < s.limit ? values[i] * s.scale : 0.0f;
        store_unit(out, out_at, t, s.rank, s.count, first, values);
    }
}
