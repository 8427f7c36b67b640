/* out = activation(a · b + bias) for a batch of matrices of any strides. A group computes a block of up to MB × NB
 * elements: it walks k in steps of KC, packs the two strips that it needs into local memory as float (this is where
 * storage types, strides and edges are dealt with), and multiplies them in register tiles of TM × (TV vectors).
 * Sums live in local memory between steps, or in registers where each work-item owns a single tile. */
#include "devq.cl"

#define NR (VW * TV)
/* Rows padded by a vector, so that a column of vectors does not fall into one cache set or memory bank. */
#define A_PITCH (KC + VW)
#define B_PITCH (NB + VW)
#define C_PITCH (NB + VW)

struct matmul_shape {
    long m, n, k;
    long a_row, a_column, b_row, b_column, out_row, out_column, bias_stride;
    long batch_sizes[6], a_batch[6], b_batch[6], out_batch[6]; /* outermost first */
    long blocks_m, blocks_n;
    int batch_rank;
    int block_m, block_n; /* multiples of TM and NR, at most MB and NB */
    int has_bias, activation; /* the order of devq::ops::Activation */
};

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

/* strip[i · pitch + j] = p[i · row + j · column] as float for i < rows, j < columns (a multiple of VW); elements outside
 * valid_rows × valid_columns become 0. Reads along whichever stride is 1. */
static inline void pack(__local float* strip, int pitch, __global const storage_t* p, long at, long row, long column, int rows,
                 int columns, int valid_rows, int valid_columns) {
    if (row == 1 && column != 1) {
        const int bands = (rows + VW - 1) / VW;
        for (struct walk w = walk_start(bands); w.row < columns; w = walk_next(w)) {
            const int i = w.column * VW, j = w.row;
            const int count = j < valid_columns ? valid_rows - i : 0;
            const int fits = rows - i < VW ? rows - i : VW;
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
            vstore_v(load_any(p, at + i * row + j * column, column, count, 0.0f), strip + i * pitch + j);
        }
    }
}

__kernel void matmul(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,
                     __global const storage_t* b, const long b_at, __global const storage_t* bias, const long bias_at,
                     const struct matmul_shape s) {
    __local float a_strip[MB * A_PITCH], b_strip[KC * B_PITCH], sums[MB * C_PITCH];

    long block = get_group_id(0);
    const long m0 = block % s.blocks_m * s.block_m;
    block /= s.blocks_m;
    const long n0 = block % s.blocks_n * s.block_n;
    block /= s.blocks_n;
    long out_i = out_at + m0 * s.out_row + n0 * s.out_column, a_i = a_at + m0 * s.a_row, b_i = b_at + n0 * s.b_column;
    for (int d = s.batch_rank - 1; d >= 0; d--) {
        const long c = block % s.batch_sizes[d];
        block /= s.batch_sizes[d];
        out_i += c * s.out_batch[d];
        a_i += c * s.a_batch[d];
        b_i += c * s.b_batch[d];
    }
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
            x += load_any(bias, bias_at + (n0 + j) * s.bias_stride, s.bias_stride, count, 0.0f);
        if (s.activation == 1)
            x = max_nan(x, broadcast_v(0.0f));
        else if (s.activation == 2)
            x = 0.5f * x * (1.0f + erf(x * 0.70710678f));
        store_any(out, out_i + w.row * s.out_row + j * s.out_column, s.out_column, count, x);
    }
}
