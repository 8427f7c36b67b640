/* Convolution and both its gradients as one product of matrices, a · b, of which b is never made: its elements are
 * taken from an image while they are packed. Columns are places (j0, j1, j2) and the sum runs over (k0, k1, k2):
 *                    rows   columns            sum                a               image
 *   forward          oc     n, oy, ox          ic, ky, kx         weights         input
 *   backward data    ic     n, iy, ix          oc, ky, kx         weights         gradient of the output
 *   backward filter  oc     ic, ky, kx         n, oy, ox          gradient of the output   input
 * The image's row is (j1 · j_y + k1 · k_y + from_y) / divide_y where that is whole and inside, and its column alike;
 * elsewhere b is 0: the padding, and what the strides of a backward pass jump over. */
#include "devq.cl"
#include "tile.cl"

struct conv2d_shape {
    long m, n, k;        /* of each group of channels */
    long j1, j2, k1, k2; /* sizes; j0 and k0 follow from n and k */
    long a_row, a_k0, a_k1, a_k2, out_row, out_j0, out_j1, out_j2;
    long image_k0, image_j0, image_row, image_column, height, width;
    long a_group, image_group, out_group, bias_stride;
    /* The same indices with inner axes merged where memory allows: longer runs. */
    long a_k1_size, a_k2_size, out_j1_size, out_j2_size;
    long blocks_m, blocks_n;
    int j_y, j_x, k_y, k_x, from_y, from_x, divide_y, divide_x;
    int block_m, block_n; /* multiples of TM and NR, at most MB and NB */
    int has_bias, activation;
};

/* An index as three, the last fastest. */
struct triple {
    long outer, middle, inner;
};
static inline long quotient(long a, long b) { /* of what is not negative; 64 bits are slow on GPUs */
    return (a | b) >> 31 == 0 ? (long)((uint)a / (uint)b) : a / b;
}
static inline struct triple triple_of(long index, long middle_size, long inner_size) {
    struct triple t;
    const long rest = quotient(index, inner_size);
    t.inner = index - rest * inner_size;
    t.outer = quotient(rest, middle_size);
    t.middle = rest - t.outer * middle_size;
    return t;
}
static inline struct triple triple_next(struct triple t, int step, long middle_size, long inner_size) {
    t.inner += step;
    if (t.inner >= inner_size) {
        const struct triple rest = triple_of(t.inner, 1, inner_size);
        t.inner = rest.inner;
        t.middle += rest.outer;
        if (t.middle >= middle_size) {
            const long carry = quotient(t.middle, middle_size);
            t.middle -= carry * middle_size;
            t.outer += carry;
        }
    }
    return t;
}

/* Up to VW elements of a whose sums' indices follow each other from `at` on. */
static inline floatv load_a(__global const storage_t* a, long row, table_space const struct conv2d_shape* s,
                            struct triple at, int count) {
    if (s->a_k2_size - at.inner >= min(count, VW))
        return load_any(a, row + at.outer * s->a_k0 + at.middle * s->a_k1 + at.inner * s->a_k2, s->a_k2, count, 0.0f);
    float lanes[VW];
    for (int l = 0; l < VW; l++) {
        lanes[l] = l < count ? load(a, row + at.outer * s->a_k0 + at.middle * s->a_k1 + at.inner * s->a_k2) : 0.0f;
        at = triple_next(at, 1, s->a_k1_size, s->a_k2_size);
    }
    return vload_v(lanes);
}

static inline void pack_a(__local float* strip, __global const storage_t* a, long a_i,
                          table_space const struct conv2d_shape* s, long k0, int rows, int depth, int valid_rows) {
    for (struct walk w = walk_start((depth + VW - 1) / VW); w.row < rows; w = walk_next(w)) {
        const int j = w.column * VW, count = w.row < valid_rows ? depth - j : 0;
        const struct triple at = triple_of(k0 + j, s->a_k1_size, s->a_k2_size);
        vstore_v(load_a(a, a_i + w.row * s->a_row, s, at, count), strip + w.row * A_PITCH + j);
    }
}

/* Where `position` (a row or column of the image, times `divide`) lies, or -1 where there is no element. */
static inline int inside(int position, int divide, long size) {
    if (position < 0)
        return -1;
    if (divide != 1) {
        const int whole = position / divide;
        position = whole * divide == position ? whole : -1;
    }
    return position < size ? position : -1;
}

/* Rows of the strip are steps of the sum, columns places; a work-item takes a vector of columns through many rows, so
 * that where they lie is found once. */
static inline void pack_image(__local float* strip, __global const storage_t* image, long image_i,
                              table_space const struct conv2d_shape* s, long k0, long n0, int depth, int columns,
                              int valid_columns) {
    const int vectors = columns / VW, side = min(vectors, LOCAL_SIZE), row_step = LOCAL_SIZE / side;
    const int first_row = LOCAL_ID / side;
    if (first_row >= row_step)
        return; /* of a group that the vectors do not divide */
    const struct triple start = triple_of(k0 + first_row, s->k1, s->k2);
    for (int c = LOCAL_ID % side; c < vectors; c += side) {
        long base[VW];
        int y[VW], x[VW];
        const int valid = valid_columns - c * VW; /* lanes */
        struct triple j = triple_of(n0 + c * VW, s->j1, s->j2);
        const int run = s->j_x == 1 && s->divide_x == 1 && s->image_column == 1 && valid >= VW && s->j2 - j.inner >= VW;
        for (int l = 0; l < VW; l++) {
            base[l] = image_i + j.outer * s->image_j0;
            y[l] = (int)j.middle * s->j_y + s->from_y;
            x[l] = (int)j.inner * s->j_x + s->from_x;
            j = triple_next(j, 1, s->j1, s->j2);
        }
        struct triple k = start;
        for (int row = first_row; row < depth; row += row_step) {
            const long at = k.outer * s->image_k0;
            const int k_y = (int)k.middle * s->k_y, k_x = (int)k.inner * s->k_x;
            floatv values;
            if (run && x[0] + k_x >= 0 && (long)x[0] + k_x + VW <= s->width) {
                const int in_y = inside(y[0] + k_y, s->divide_y, s->height);
                values = in_y < 0 ? broadcast_v(0.0f)
                                  : load_v(image, base[0] + at + in_y * s->image_row + (x[0] + k_x));
            } else {
                float lanes[VW];
                for (int l = 0; l < VW; l++) {
                    const int in_y = inside(y[l] + k_y, s->divide_y, s->height);
                    const int in_x = inside(x[l] + k_x, s->divide_x, s->width);
                    lanes[l] = 0.0f;
                    if (l < valid && in_y >= 0 && in_x >= 0)
                        lanes[l] = load(image, base[l] + at + in_y * s->image_row + in_x * s->image_column);
                }
                values = vload_v(lanes);
            }
            vstore_v(values, strip + row * B_PITCH + c * VW);
            k = triple_next(k, row_step, s->k1, s->k2);
        }
    }
}

__kernel void conv2d(__global storage_t* out, const long out_at, __global const storage_t* a, const long a_at,
                     __global const storage_t* image, const long image_at, __global const storage_t* bias,
                     const long bias_at, const struct conv2d_shape given) {
    __local float a_strip[MB * A_PITCH], b_strip[KC * B_PITCH], sums[MB * C_PITCH];
    TABLES(struct conv2d_shape, s, given, 1);

    long block = get_group_id(0);
    const long m0 = block % s->blocks_m * s->block_m;
    block /= s->blocks_m;
    const long n0 = block % s->blocks_n * s->block_n, group = block / s->blocks_n;
    const long a_i = a_at + group * s->a_group + m0 * s->a_row;
    const long image_i = image_at + group * s->image_group;
    const int rows = limit(s->m - m0, s->block_m), columns = limit(s->n - n0, s->block_n);
    const struct tiles tiles = tiles_of(rows, columns);

    floatv acc[TM][TV];
    /* `given`, not the copy: compilers see that the loop with barriers ends for all alike. */
    for (long k0 = 0; k0 == 0 || k0 < given.k; k0 += KC) {
        const int depth = limit(given.k - k0, KC);
        if (depth > 0) { /* k = 0 has nothing to pack */
            pack_a(a_strip, a, a_i, s, k0, tiles.across_m * TM, depth, rows);
            pack_image(b_strip, image, image_i, s, k0, n0, depth, tiles.across_n * NR, columns);
        }
        group_barrier();
        add_products(acc, sums, a_strip, b_strip, tiles, depth, k0 == 0, k0 + KC >= given.k);
        group_barrier();
    }

    const long out_i = out_at + group * s->out_group + m0 * s->out_row;
    for (struct walk w = walk_start((columns + VW - 1) / VW); w.row < rows; w = walk_next(w)) {
        const int j = w.column * VW, count = columns - j;
        floatv x = vload_v(sums + w.row * C_PITCH + j);
        if (s->has_bias)
            x += broadcast_v(load(bias, bias_at + (group * s->m + m0 + w.row) * s->bias_stride));
        x = activate_v(x, s->activation);
        struct triple at = triple_of(n0 + j, s->out_j1_size, s->out_j2_size);
        const long row = out_i + w.row * s->out_row;
        if (s->out_j2_size - at.inner >= min(count, VW)) {
            store_any(out, row + at.outer * s->out_j0 + at.middle * s->out_j1 + at.inner * s->out_j2, s->out_j2, count,
                      x);
        } else {
            float lanes[VW];
            vstore_v(x, lanes);
            for (int l = 0; l < VW && l < count; l++) {
                store(out, row + at.outer * s->out_j0 + at.middle * s->out_j1 + at.inner * s->out_j2, lanes[l]);
                at = triple_next(at, 1, s->out_j1_size, s->out_j2_size);
            }
        }
    }
}
