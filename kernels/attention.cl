/* out = softmax(scale · q · kᵀ + mask) · v. A group takes up to MB queries of one head and up to NB columns of v, and
 * walks the keys in blocks of NB: scores of a block, their largest, exp, and the sums so far scaled to the new one. */
#include "devq.cl"
#include "tile.cl"
#include "scores.cl"

struct attention_shape {
    long heads, queries, keys, head_dim, value_dim;
    long out_batch, out_head, out_row, q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row;
    long lse_batch, lse_head, lse_row;
    struct score_mask mask;
    long blocks, panels; /* of queries, and of value_dim in steps of NB */
    float scale;
    int block; /* queries in a group's block: a multiple of TM, at most MB */
    int heads_per_kv, has_lse;
};

__kernel void attention(__global storage_t* out, const long out_at, __global const storage_t* q, const long q_at,
                        __global const storage_t* k, const long k_at, __global const storage_t* v, const long v_at,
                        __global const uchar* mask, const long mask_at, __global float* lse, const long lse_at,
                        const struct attention_shape s) {
    __local float a_strip[MB * A_PITCH], b_strip[KC * B_PITCH], scores[MB * C_PITCH], sums[MB * C_PITCH];
    __local float peak[MB], total[MB], base[MB], fade[MB];

    long unit = get_group_id(0);
    const long panel = unit % s.panels;
    unit /= s.panels;
    const long q0 = unit % s.blocks * s.block;
    unit /= s.blocks;
    const long batch = unit / s.heads, head = unit - batch * s.heads, kv_head = head / s.heads_per_kv;
    const long c0 = panel * NB;
    const int rows = limit(s.queries - q0, s.block), width = limit(s.value_dim - c0, NB);
    const struct tiles out_tiles = tiles_of(rows, width);
    const long q_i = q_at + batch * s.q_batch + head * s.q_head + q0 * s.q_row;
    const long k_i = k_at + batch * s.k_batch + kv_head * s.k_head;
    const long v_i = v_at + batch * s.v_batch + kv_head * s.v_head + c0;
    const long mask_i = mask_at + batch * s.mask.batch + head * s.mask.head + q0 * s.mask.query;
    /* keys that the last of these queries may see */
    long seen = s.keys;
    if (s.mask.causal)
        seen = min(seen, max(q0 + rows + s.mask.causal_offset, (long)0));

    clear_sums(sums, out_tiles);
    for (int i = LOCAL_ID; i < MB; i += LOCAL_SIZE) {
        peak[i] = -INFINITY;
        total[i] = 0.0f;
        fade[i] = 0.0f;
    }
    floatv acc[TM][TV];
    for (long k0 = 0; k0 < seen; k0 += NB) {
        const int columns = limit(seen - k0, NB), vectors = (columns + VW - 1) / VW;
        row_products(acc, scores, a_strip, b_strip, q, q_i, s.q_row, k, k_i + k0 * s.k_row, s.k_row, rows, columns,
                     s.head_dim);
        if (width > 0) /* else log_sum_exp alone is wanted */
            pack(b_strip, B_PITCH, v, v_i + k0 * s.v_row, s.v_row, 1, columns, out_tiles.across_n * NR, columns, width);
        for (struct walk w = walk_start(vectors); w.row < rows; w = walk_next(w)) {
            const int j = w.column * VW;
            __local float* const at = scores + w.row * C_PITCH + j;
            floatv x = mask_scores(vload_v(at) * s.scale, mask,
                                   mask_i + w.row * s.mask.query + (k0 + j) * s.mask.key, s.mask.key, columns - j,
                                   s.mask.kind);
            if (s.mask.causal)
                x = keep_lanes(x, 0, q0 + w.row + s.mask.causal_offset - (k0 + j));
            vstore_v(x, at);
        }
        group_barrier();
        for (int i = LOCAL_ID; i < rows; i += LOCAL_SIZE) {
            floatv most = broadcast_v(-INFINITY);
            for (int j = 0; j < vectors; j++) {
                const floatv x = vload_v(scores + i * C_PITCH + j * VW);
                most = max_nan(x, most);
            }
            const float before = peak[i], block_peak = max_lanes(most), now = max_nan(before, block_peak);
            const float from = now == -INFINITY ? 0.0f : now; /* exp(-inf) is 0; -inf - -inf would be NaN */
            peak[i] = now;
            base[i] = from;
            fade[i] = exp(before - from);
        }
        group_barrier();
        for (struct walk w = walk_start(vectors); w.row < rows; w = walk_next(w)) {
            __local float* const at = scores + w.row * C_PITCH + w.column * VW;
            vstore_v(exp(vload_v(at) - base[w.row]), at);
        }
        group_barrier();
        for (int i = LOCAL_ID; i < rows; i += LOCAL_SIZE) {
            floatv weights = broadcast_v(0.0f);
            for (int j = 0; j < vectors; j++)
                weights += vload_v(scores + i * C_PITCH + j * VW);
            total[i] = total[i] * fade[i] + sum_lanes(weights);
        }
        add_weighted(sums, scores, b_strip, fade, 1, out_tiles, columns);
        group_barrier();
    }
    group_barrier(); /* where there was no key */
    for (int i = LOCAL_ID; i < rows; i += LOCAL_SIZE) {
        fade[i] = total[i] == 0.0f ? 0.0f : 1.0f / total[i];
        if (s.has_lse && panel == 0)
            lse[lse_at + batch * s.lse_batch + head * s.lse_head + (q0 + i) * s.lse_row] =
                total[i] == 0.0f ? -INFINITY : peak[i] + log(total[i]);
    }
    group_barrier();
    const long out_i = out_at + batch * s.out_batch + head * s.out_head + q0 * s.out_row + c0;
    if (width <= 0)
        return;
    for (struct walk w = walk_start((width + VW - 1) / VW); w.row < rows; w = walk_next(w)) {
        const int j = w.column * VW;
        store_any(out, out_i + w.row * s.out_row + j, 1, width - j,
                  vload_v(sums + w.row * C_PITCH + j) * fade[w.row]);
    }
}
