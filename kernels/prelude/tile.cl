/* A block of up to MB × NB sums of products, one group's work: two strips of the operands are packed into local memory
 * as float (this is where storage types, strides and edges are dealt with) and multiplied in register tiles of TM × (TV
 * vectors), KC deep at a time. Sums live in local memory between steps, or in registers where each work-item owns a
 * single tile. */

#define NR (VW * TV)
#define AHEAD 8 /* rows that packing asks memory for beforehand */
/* Rows padded by a vector, so that a column of vectors does not fall into one cache set or memory bank. */
#define A_PITCH (KC + VW)
#define B_PITCH (NB + VW)
#define C_PITCH (NB + VW)

/* A walk of the group over rows × columns (columns: in vectors), work-item after work-item, with no division a step. */
struct walk {
    int row, column;
    int row_step, column_step, columns;
};
static inline struct walk walk_start(int columns) {
    struct walk w;
    w.row = LOCAL_ID / columns;
    w.column = LOCAL_ID % columns;
    w.row_step = LOCAL_SIZE / columns;
    w.column_step = LOCAL_SIZE % columns;
    w.columns = columns;
    return w;
}
static inline struct walk walk_next(struct walk w) {
    w.row += w.row_step;
    w.column += w.column_step;
    if (w.column >= w.columns) {
        w.column -= w.columns;
        w.row++;
    }
    return w;
}

static inline int limit(long x, int most) { return x < most ? (int)x : most; }
static inline int nearest(int i, int count) { return i < count ? i : count - 1; }

/* strip[i · pitch + j] = p[i · row + j · column] as float for i < rows, j < columns (a multiple of VW); elements
 * outside valid_rows × valid_columns become 0. Reads along whichever stride is 1. */
static inline void pack(__local float* strip, int pitch, __global const storage_t* p, long at, long row, long column,
                        int rows, int columns, int valid_rows, int valid_columns) {
    if (row == 1 && column != 1) {
        const int bands = (rows + VW - 1) / VW;
        for (struct walk w = walk_start(bands); w.row < columns; w = walk_next(w)) {
            const int i = w.column * VW, j = w.row;
            const int count = j < valid_columns ? valid_rows - i : 0;
            const int fits = rows - i < VW ? rows - i : VW;
            ask_ahead(p + at + i + nearest(j + AHEAD, valid_columns) * column);
            float lanes[VW];
            vstore_v(load_any(p, at + i + j * column, 1, count, 0.0f), lanes);
            __local float* to = strip + i * pitch + j;
            if (fits == VW) {
#pragma unroll
                for (int l = 0; l < VW; l++)
                    to[l * pitch] = lanes[l];
            } else {
                for (int l = 0; l < fits; l++)
                    to[l * pitch] = lanes[l];
            }
        }
    } else {
        for (struct walk w = walk_start(columns / VW); w.row < rows; w = walk_next(w)) {
            const int i = w.row, j = w.column * VW;
            const int count = i < valid_rows ? valid_columns - j : 0;
            ask_ahead(p + at + nearest(i + AHEAD, valid_rows) * row + j * column);
            vstore_v(load_any(p, at + i * row + j * column, column, count, 0.0f), strip + i * pitch + j);
        }
    }
}

/* A block's shape in tiles. */
struct tiles {
    int across_m, across_n, count;
};
static inline struct tiles tiles_of(int rows, int columns) {
    struct tiles t;
    t.across_m = (rows + TM - 1) / TM;
    t.across_n = (columns + NR - 1) / NR;
    t.count = t.across_m * t.across_n;
    return t;
}

/* On CPUs a tile's sums take nearly all vector registers. A compiler that has the loop over k within the whole kernel
 * keeps some of the kernel's other values there instead (g++ 12: a sum and an operand go to the stack, at 0.6 of the
 * speed), so that it gets a function of its own. */
#if GROUP == 1
#define SEPARATE __attribute__((noinline))
#else
#define SEPARATE
#endif

/* acc += the product of a tile's rows of a and columns of b, `depth` deep. */
SEPARATE static void multiply_tile(floatv acc[TM][TV], __local const float* from_a, __local const float* from_b,
                                   int depth) {
    floatv x[TM][TV];
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TV; j++)
            x[i][j] = acc[i][j];
    for (int k = 0; k < depth; k++) {
        floatv bs[TV];
#pragma unroll
        for (int j = 0; j < TV; j++)
            bs[j] = vload_v(from_b + k * B_PITCH + j * VW);
#pragma unroll
        for (int i = 0; i < TM; i++) {
            const floatv as = broadcast_v(from_a[i * A_PITCH + k]);
#pragma unroll
            for (int j = 0; j < TV; j++)
                x[i][j] = as * bs[j] + x[i][j];
        }
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TV; j++)
            acc[i][j] = x[i][j];
}

/* Adds the product of two packed strips, `depth` deep, to the sums of a block: starts them in the first step, and has
 * them all in `sums` after the last. `acc` is the work-item's own, from step to step. */
static inline void add_products(floatv acc[TM][TV], __local float* sums, __local const float* a_strip,
                                __local const float* b_strip, struct tiles tiles, int depth, int first, int last) {
#if GROUP == 1
    const int keep = 0;
#else
    const int keep = tiles.count <= LOCAL_SIZE; /* sums stay in registers until the last step */
#endif
    for (int t = LOCAL_ID; t < tiles.count; t += LOCAL_SIZE) {
#if GROUP == 1
        /* the strip of b stays in the nearest cache */
        const int i0 = t % tiles.across_m * TM, j0 = t / tiles.across_m * NR;
#else
        /* neighbours read neighbours */
        const int i0 = t / tiles.across_n * TM, j0 = t % tiles.across_n * NR;
#endif
        __local float* sum = sums + i0 * C_PITCH + j0;
        if (first) {
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TV; j++)
                    acc[i][j] = broadcast_v(0.0f);
        } else if (!keep) {
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TV; j++)
                    acc[i][j] = vload_v(sum + i * C_PITCH + j * VW);
        }
        multiply_tile(acc, a_strip + i0 * A_PITCH, b_strip + j0, depth);
        if (!keep || last) {
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TV; j++)
                    vstore_v(acc[i][j], sum + i * C_PITCH + j * VW);
        }
    }
}

/* The order of devq::ops::Activation: none, relu, gelu, gelu_tanh, silu. */
#define DEFINE_ACTIVATION(name, type)                                                                                  \
    static inline type name(type x, int activation) {                                                                  \
        if (activation == 1)                                                                                           \
            return max_nan(x, (type)(0.0f));                                                                           \
        if (activation == 2)                                                                                           \
            return 0.5f * x * (1.0f + erf(x * 0.70710678f));                                                           \
        if (activation == 3)                                                                                           \
            return 0.5f * x * (1.0f + tanh(0.79788456f * (x + 0.044715f * x * x * x)));                                \
        if (activation == 4) { /* exp never overflows */                                                               \
            const type e = exp(-fabs(x));                                                                              \
            return x * select(e, (type)(1.0f), x >= 0.0f) / (1.0f + e);                                                \
        }                                                                                                              \
        return x;                                                                                                      \
    }
DEFINE_ACTIVATION(activate, float)
DEFINE_ACTIVATION(activate_v, floatv)
