/* out = activation(a · b + bias) for a batch of matrices of any strides. A group computes a block of up to MB × NB
 * elements: it walks k in steps of KC, packs the two strips that it needs into local memory as float (this is where
 * storage types, strides and edges are dealt with), and multiplies them in register tiles of TM × (TV vectors).
 * Sums live in local memory between steps, or in registers where each work-item owns a single tile.
 * matmul_dots serves narrow results whose operands are both contiguous along k: memory sets its pace. */
#include "devq.cl"

#define NR (VW * TV)
#define AHEAD 8 /* rows that packing asks memory for beforehand */
/* Rows padded by a vector, so that a column of vectors does not fall into one cache set or memory bank. */
#define A_PITCH (KC + VW)
#define B_PITCH (NB + VW)
#define C_PITCH (NB + VW)

struct batch_axes {
    long sizes[6]; /* outermost first */
    long a[6], b[6], out[6];
};
struct matmul_shape {
    long m, n, k;
    long a_row, a_column, b_row, b_column, out_row, out_column, bias_row, bias_column;
    struct batch_axes batches;
    long blocks_m, blocks_n;
    long units, units_per_group; /* matmul_dots: elements of out */
    int batch_rank;
    int block_m, block_n; /* multiples of TM and NR, at most MB and NB */
    int has_bias, activation; /* the order of devq::ops::Activation */
};

struct place {
    long out, a, b;
};
static inline struct place batch_place(table_space const struct batch_axes* batches, int rank, long batch) {
    struct place at;
    at.out = at.a = at.b = 0;
    for (int d = rank - 1; d >= 0; d--) {
        const long c = batch % batches->sizes[d];
        batch /= batches->sizes[d];
        at.out += c * batches->out[d];
        at.a += c * batches->a[d];
        at.b += c * batches->b[d];
    }
    return at;
}

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

__kernel void matmul(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,
                     __global const storage_t* b, const long b_at, __global const storage_t* bias, const long bias_at,
                     const struct matmul_shape s) {
    __local float a_strip[MB * A_PITCH], b_strip[KC * B_PITCH], sums[MB * C_PITCH];
    TABLES(struct batch_axes, batches, s.batches, s.batch_rank);

    long block = get_group_id(0);
    const long m0 = block % s.blocks_m * s.block_m;
    block /= s.blocks_m;
    const long n0 = block % s.blocks_n * s.block_n;
    block /= s.blocks_n;
    const struct place at = batch_place(batches, s.batch_rank, block);
    const long out_i = out_at + at.out + m0 * s.out_row + n0 * s.out_column;
    const long a_i = a_at + at.a + m0 * s.a_row, b_i = b_at + at.b + n0 * s.b_column;
    const int rows = limit(s.m - m0, s.block_m), columns = limit(s.n - n0, s.block_n);
    const int tiles_m = (rows + TM - 1) / TM, tiles_n = (columns + NR - 1) / NR, tiles = tiles_m * tiles_n;
#if GROUP == 1
    const int keep = 0;
#else
    const int keep = tiles <= LOCAL_SIZE; /* sums stay in registers until the last step */
#endif

    floatv acc[TM][TV];
    for (long k0 = 0; k0 == 0 || k0 < s.k; k0 += KC) {
        const int depth = limit(s.k - k0, KC), last = k0 + KC >= s.k;
        if (depth > 0) { /* k = 0 has nothing to pack, and walks need a column */
            pack(a_strip, A_PITCH, a, a_i + k0 * s.a_column, s.a_row, s.a_column, tiles_m * TM,
                 (depth + VW - 1) / VW * VW, rows, depth);
            pack(b_strip, B_PITCH, b, b_i + k0 * s.b_row, s.b_row, s.b_column, depth, tiles_n * NR, depth, columns);
        }
        group_barrier();
        for (int t = LOCAL_ID; t < tiles; t += LOCAL_SIZE) {
#if GROUP == 1
            const int i0 = t % tiles_m * TM, j0 = t / tiles_m * NR; /* the strip of b stays in the nearest cache */
#else
            const int i0 = t / tiles_n * TM, j0 = t % tiles_n * NR; /* neighbours read neighbours */
#endif
            __local float* sum = sums + i0 * C_PITCH + j0;
            if (k0 == 0) {
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
            __local const float* from_a = a_strip + i0 * A_PITCH;
            __local const float* from_b = b_strip + j0;
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
                        acc[i][j] = as * bs[j] + acc[i][j];
                }
            }
            if (!keep || last) {
#pragma unroll
                for (int i = 0; i < TM; i++)
#pragma unroll
                    for (int j = 0; j < TV; j++)
                        vstore_v(acc[i][j], sum + i * C_PITCH + j * VW);
            }
        }
        group_barrier();
    }

    for (struct walk w = walk_start((columns + VW - 1) / VW); w.row < rows; w = walk_next(w)) {
        const int j = w.column * VW, count = columns - j;
        floatv x = vload_v(sums + w.row * C_PITCH + j);
        if (s.has_bias)
            x += load_any(bias, bias_at + (m0 + w.row) * s.bias_row + (n0 + j) * s.bias_column, s.bias_column, count,
                          0.0f);
        if (s.activation == 1)
            x = max_nan(x, broadcast_v(0.0f));
        else if (s.activation == 2)
            x = 0.5f * x * (1.0f + erf(x * 0.70710678f));
        store_any(out, out_i + w.row * s.out_row + j * s.out_column, s.out_column, count, x);
    }
}

__kernel void matmul_dots(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,
                          __global const storage_t* b, const long b_at, __global const storage_t* bias,
                          const long bias_at, const struct matmul_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct batch_axes, batches, s.batches, s.batch_rank);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const long step = (long)LOCAL_SIZE * VW;
    for (long unit = begin; unit < end; unit++) {
        const long row = unit / s.n, j = unit - row * s.n, batch = row / s.m, i = row - batch * s.m;
        const struct place at = batch_place(batches, s.batch_rank, batch);
        const long a_i = a_at + at.a + i * s.a_row, b_i = b_at + at.b + j * s.b_column;
        floatv sum0 = broadcast_v(0.0f), sum1 = sum0, sum2 = sum0, sum3 = sum0;
        long k = (long)LOCAL_ID * VW;
        for (; k + 3 * step + VW <= s.k; k += 4 * step) {
            sum0 += load_v(a, a_i + k) * load_v(b, b_i + k);
            sum1 += load_v(a, a_i + k + step) * load_v(b, b_i + k + step);
            sum2 += load_v(a, a_i + k + 2 * step) * load_v(b, b_i + k + 2 * step);
            sum3 += load_v(a, a_i + k + 3 * step) * load_v(b, b_i + k + 3 * step);
        }
        for (; k < s.k; k += step) {
            const int count = (int)min(s.k - k, (long)VW);
            sum0 += load_any(a, a_i + k, 1, count, 0.0f) * load_any(b, b_i + k, 1, count, 0.0f);
        }
        float x = group_sum(sum_lanes((sum0 + sum1) + (sum2 + sum3)), scratch);
        if (LOCAL_ID == 0) {
            x += s.has_bias ? load(bias, bias_at + i * s.bias_row + j * s.bias_column) : 0.0f;
            if (s.activation == 1)
                x = max_nan(x, 0.0f);
            else if (s.activation == 2)
                x = 0.5f * x * (1.0f + erf(x * 0.70710678f));
            store(out, out_at + at.out + i * s.out_row + j * s.out_column, x);
        }
    }
}
