/* What attention and its gradients share: scores with their masks, and sums of weighted rows. KC = NB, so that a block
 * of weights has the pitch of the first operand of a product. */
#if KC != NB
#error "attention needs KC = NB"
#endif

#define MASK_BOOLEAN 1
#define MASK_F32 2
#define MASK_STORAGE 3

struct score_mask {
    long batch, head, query, key; /* strides */
    long causal_offset;           /* key <= query + causal_offset */
    int kind, causal;
};

/* `count` scores of neighbours along queries or keys, whose masks are `stride` apart; lanes beyond become -inf. */
static inline floatv mask_scores(floatv x, __global const uchar* mask, long at, long stride, int count, int kind) {
    if (kind == MASK_F32 && stride == 1 && count >= VW)
        return x + load_f32_v((__global const float*)mask, at);
    if (kind == MASK_STORAGE && count >= VW)
        return x + load_any((__global const storage_t*)mask, at, stride, count, 0.0f);
    if (kind == 0 && count >= VW)
        return x;
    float lanes[VW];
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++) {
        if (j >= count)
            lanes[j] = -INFINITY;
        else if (kind == MASK_BOOLEAN)
            lanes[j] = mask[at + j * stride] ? lanes[j] : -INFINITY;
        else if (kind == MASK_F32)
            lanes[j] += ((__global const float*)mask)[at + j * stride];
        else if (kind == MASK_STORAGE)
            lanes[j] += load((__global const storage_t*)mask, at + j * stride);
    }
    return vload_v(lanes);
}

/* Lanes first … last stay, others become -inf. */
static inline floatv keep_lanes(floatv x, long first, long last) {
    if (first <= 0 && last >= VW - 1)
        return x;
    float lanes[VW];
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++)
        lanes[j] = j >= first && j <= last ? lanes[j] : -INFINITY;
    return vload_v(lanes);
}

/* sums = sums · row_scale (where scaled) + weights · strip, for a block of `tiles`, `depth` deep. */
static inline void add_weighted(__local float* sums, __local const float* weights, __local const float* strip,
                                __local const float* row_scale, int scaled, struct tiles tiles, int depth) {
    floatv acc[TM][TV];
    for (int t = LOCAL_ID; t < tiles.count; t += LOCAL_SIZE) {
#if GROUP == 1
        const int i0 = t % tiles.across_m * TM, j0 = t / tiles.across_m * NR;
#else
        const int i0 = t / tiles.across_n * TM, j0 = t % tiles.across_n * NR;
#endif
        __local float* sum = sums + i0 * C_PITCH + j0;
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TV; j++) {
                acc[i][j] = vload_v(sum + i * C_PITCH + j * VW);
                if (scaled)
                    acc[i][j] *= row_scale[i0 + i];
            }
        multiply_tile(acc, weights + i0 * A_PITCH, strip + j0, depth);
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TV; j++)
                vstore_v(acc[i][j], sum + i * C_PITCH + j * VW);
    }
}

/* block[i][j] = row i of a · row j of b, `depth` long: rows lie a_row and b_row apart, their elements side by side. */
static inline void row_products(floatv acc[TM][TV], __local float* block, __local float* a_strip,
                                __local float* b_strip, __global const storage_t* a, long a_at, long a_row,
                                __global const storage_t* b, long b_at, long b_row, int rows, int columns, long depth) {
    const struct tiles tiles = tiles_of(rows, columns);
    for (long d0 = 0; d0 == 0 || d0 < depth; d0 += KC) {
        const int deep = limit(depth - d0, KC);
        if (deep > 0) {
            pack(a_strip, A_PITCH, a, a_at + d0, a_row, 1, tiles.across_m * TM, (deep + VW - 1) / VW * VW, rows, deep);
            pack(b_strip, B_PITCH, b, b_at + d0, 1, b_row, deep, tiles.across_n * NR, deep, columns);
        }
        group_barrier();
        add_products(acc, block, a_strip, b_strip, tiles, deep, d0 == 0, d0 + KC >= depth);
        group_barrier();
    }
}

static inline void clear_sums(__local float* sums, struct tiles tiles) {
    if (tiles.count == 0)
        return;
    for (struct walk w = walk_start(tiles.across_n * TV); w.row < tiles.across_m * TM; w = walk_next(w))
        vstore_v(broadcast_v(0.0f), sums + w.row * C_PITCH + w.column * VW);
}
