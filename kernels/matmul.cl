/* out = activation(alpha · a · b + beta · c + bias) for a batch of matrices of any strides. A group computes a block
 * of up to MB × NB elements: it walks k in steps of KC, packs the two strips that it needs into local memory as float
 * (this is where storage types, strides and edges are dealt with), and multiplies them in register tiles of
 * TM × (TV vectors). Sums live in local memory between steps, or in registers where each work-item owns a single tile.
 * Where a result is narrow, memory sets the pace: matmul_dots where both operands are contiguous along k, matmul_rows
 * where b, which it reads once and in order, is contiguous along n.
 * WIDE 1: out, c and bias are f32, whatever a and b are. */
#include "devq.cl"
#include "tile.cl"

#if defined(WIDE) && WIDE == 1
typedef float out_t;
#define load_out load_f32
#define store_out store_f32
static inline floatv load_out_any(__global const float* p, long i, long stride, int count) {
    if (stride == 1 && count >= VW)
        return load_f32_v(p, i);
    float lanes[VW];
    for (int j = 0; j < VW; j++)
        lanes[j] = j < count ? p[i + j * stride] : 0.0f;
    return vload_v(lanes);
}
static inline void store_out_any(__global float* p, long i, long stride, int count, floatv x) {
    if (stride == 1 && count >= VW) {
        store_f32_v(p, i, x);
        return;
    }
    float lanes[VW];
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++)
        if (j < count)
            p[i + j * stride] = lanes[j];
}
#else
typedef storage_t out_t;
#define load_out load
#define store_out store
#define load_out_any(p, i, stride, count) load_any(p, i, stride, count, 0.0f)
#define store_out_any store_any
#endif

struct batch_axes {
    long sizes[6]; /* outermost first */
    long a[6], b[6], c[6], out[6];
};
struct matmul_shape {
    long m, n, k;
    long a_row, a_column, b_row, b_column, c_row, c_column, out_row, out_column, bias_row, bias_column;
    struct batch_axes batches;
    long blocks_m, blocks_n;
    long units, units_per_group; /* matmul_dots: elements of out */
    int batch_rank;
    int block_m, block_n; /* multiples of TM and NR, at most MB and NB */
    int has_bias, has_c, activation; /* the order of devq::ops::Activation */
    float alpha, beta;
};

struct place {
    long out, a, b, c;
};
static inline struct place batch_place(table_space const struct batch_axes* batches, int rank, long batch) {
    struct place at;
    at.out = at.a = at.b = at.c = 0;
    for (int d = rank - 1; d >= 0; d--) {
        const long c = batch % batches->sizes[d];
        batch /= batches->sizes[d];
        at.out += c * batches->out[d];
        at.a += c * batches->a[d];
        at.b += c * batches->b[d];
        at.c += c * batches->c[d];
    }
    return at;
}

__kernel void matmul(__global out_t* out, const long out_at, __global const storage_t* a, const long a_at,
                     __global const storage_t* b, const long b_at, __global const out_t* c, const long c_at,
                     __global const out_t* bias, const long bias_at, const struct matmul_shape s) {
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
    const long c_i = c_at + at.c + m0 * s.c_row + n0 * s.c_column;
    const int rows = limit(s.m - m0, s.block_m), columns = limit(s.n - n0, s.block_n);
    const struct tiles tiles = tiles_of(rows, columns);

    floatv acc[TM][TV];
    for (long k0 = 0; k0 == 0 || k0 < s.k; k0 += KC) {
        const int depth = limit(s.k - k0, KC);
        if (depth > 0) { /* k = 0 has nothing to pack, and walks need a column */
            pack(a_strip, A_PITCH, a, a_i + k0 * s.a_column, s.a_row, s.a_column, tiles.across_m * TM,
                 (depth + VW - 1) / VW * VW, rows, depth);
            pack(b_strip, B_PITCH, b, b_i + k0 * s.b_row, s.b_row, s.b_column, depth, tiles.across_n * NR, depth,
                 columns);
        }
        group_barrier();
        add_products(acc, sums, a_strip, b_strip, tiles, depth, k0 == 0, k0 + KC >= s.k);
        group_barrier();
    }

    for (struct walk w = walk_start((columns + VW - 1) / VW); w.row < rows; w = walk_next(w)) {
        const int j = w.column * VW, count = columns - j;
        floatv x = s.alpha * vload_v(sums + w.row * C_PITCH + j);
        if (s.has_c) /* which may be out itself: whoever reads an element writes it */
            x += s.beta * load_out_any(c, c_i + w.row * s.c_row + j * s.c_column, s.c_column, count);
        if (s.has_bias)
            x += load_out_any(bias, bias_at + (m0 + w.row) * s.bias_row + (n0 + j) * s.bias_column, s.bias_column,
                              count);
        x = activate_v(x, s.activation);
        store_out_any(out, out_i + w.row * s.out_row + j * s.out_column, s.out_column, count, x);
    }
}

__kernel void matmul_dots(__global out_t* out, const long out_at, __global const storage_t* a, const long a_at,
                          __global const storage_t* b, const long b_at, __global const out_t* c, const long c_at,
                          __global const out_t* bias, const long bias_at, const struct matmul_shape s) {
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
            x *= s.alpha;
            x += s.has_c ? s.beta * load_out(c, c_at + at.c + i * s.c_row + j * s.c_column) : 0.0f;
            x += s.has_bias ? load_out(bias, bias_at + i * s.bias_row + j * s.bias_column) : 0.0f;
            store_out(out, out_at + at.out + i * s.out_row + j * s.out_column, activate(x, s.activation));
        }
    }
}

/* m is at most ROWS. A group has a strip of columns, and walks k; a work-item has STRIP vectors of it for each of the
 * rows, LANES items side by side. Where the group has more items than that, they share k out, STEP at a time. */
#define ROWS 8
#define STEP 4
#if GROUP == 1
#define STRIP (512 / VW)
#define LANES 1
#else
#define STRIP 1
#define LANES min(LOCAL_SIZE, 8)
#endif

__kernel void matmul_rows(__global out_t* out, const long out_at, __global const storage_t* a, const long a_at,
                          __global const storage_t* b, const long b_at, __global const out_t* c, const long c_at,
                          __global const out_t* bias, const long bias_at, const struct matmul_shape s) {
    SCRATCH(floatv, scratch);
    TABLES(struct batch_axes, batches, s.batches, s.batch_rank);
    const long batch = get_group_id(0) / s.blocks_n, n0 = (get_group_id(0) - batch * s.blocks_n) * s.block_n;
    const struct place at = batch_place(batches, s.batch_rank, batch);
    const int rows = (int)s.m, columns = limit(s.n - n0, s.block_n), vectors = (columns + VW - 1) / VW;
    const int lane = LOCAL_ID % LANES, slice = LOCAL_ID / LANES, slices = LOCAL_SIZE / LANES;
    const int mine = (vectors - lane + LANES - 1) / LANES; /* at most STRIP; none, or less, of a lane beyond the end */
    const long b_i = b_at + at.b + n0;

    floatv acc[ROWS][STRIP];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        for (int v = 0; v < STRIP; v++)
            acc[i][v] = broadcast_v(0.0f);
    for (long k = (long)slice * STEP; k < s.k; k += (long)slices * STEP) {
        const int depth = limit(s.k - k, STEP);
        float as[ROWS][STEP];
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int u = 0; u < STEP; u++)
                as[i][u] = i < rows && u < depth ? load(a, a_at + at.a + i * s.a_row + (k + u) * s.a_column) : 0.0f;
        for (int v = 0; v < STRIP && v < mine; v++) {
            const int j = (v * LANES + lane) * VW;
            floatv bs[STEP];
#pragma unroll
            for (int u = 0; u < STEP; u++)
                bs[u] = load_any(b, b_i + (k + u) * s.b_row + j, 1, u < depth ? columns - j : 0, 0.0f);
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                if (i < rows) {
                    floatv x = acc[i][v];
#pragma unroll
                    for (int u = 0; u < STEP; u++)
                        x = broadcast_v(as[i][u]) * bs[u] + x;
                    acc[i][v] = x;
                }
        }
    }

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        if (i >= rows) /* for all alike */
            break;
        for (int v = 0; v < STRIP; v++) {
            floatv x = acc[i][v];
#if GROUP > 1
            scratch[LOCAL_ID] = x;
            group_barrier();
            for (int half_size = slices / 2; half_size > 0; half_size /= 2) {
                if (slice < half_size)
                    scratch[LOCAL_ID] += scratch[LOCAL_ID + half_size * LANES];
                group_barrier();
            }
            x = scratch[LOCAL_ID]; /* of slice 0, the sum, which nobody else reads: it may be written again at once */
#endif
            if (slice > 0 || v >= mine)
                continue;
            const int j = (v * LANES + lane) * VW, count = columns - j;
            x = s.alpha * x;
            if (s.has_c)
                x += s.beta * load_out_any(c, c_at + at.c + i * s.c_row + (n0 + j) * s.c_column, s.c_column, count);
            if (s.has_bias)
                x += load_out_any(bias, bias_at + i * s.bias_row + (n0 + j) * s.bias_column, s.bias_column, count);
            store_out_any(out, out_at + at.out + i * s.out_row + (n0 + j) * s.out_column, s.out_column, count,
                          activate_v(x, s.activation));
        }
    }
}
