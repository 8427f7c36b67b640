/* Gradients of attention. With p = exp(score - log_sum_exp), g the gradient of out and delta = Σ g · out of a query:
 *   dv = pᵀ · g        dq = scale · ds · k        dk = scale · dsᵀ · q,    ds = p · (g · vᵀ - delta).
 * One body for the three: a group takes up to MB rows (queries for dq, keys for dk and dv) and up to NB columns of the
 * result, and walks what lies across (keys, or queries of every head that shares the key's) in blocks of NB. */
#include "devq.cl"
#include "tile.cl"
#include "scores.cl"

#define OF_Q 0
#define OF_K 1
#define OF_V 2

struct attention_backward_shape {
    long rows, columns;             /* queries and keys, or keys and queries */
    long head_dim, value_dim, width; /* width: of the result */
    long row_heads;                 /* heads of the result */
    long out_batch, out_head, out_row;
    /* scores: row · column; g · v: row_value · column_value; what p or ds multiplies: factor */
    long row_batch, row_head, row_row, column_batch, column_head, column_row;
    long row_value_batch, row_value_head, row_value_row, column_value_batch, column_value_head, column_value_row;
    long factor_batch, factor_head, factor_row;
    long lse_batch, lse_head, lse_row, delta_batch, delta_head;
    struct score_mask mask;
    long blocks, panels;
    float scale;
    int block, heads_per_kv, of;
};

__kernel void attention_backward(__global storage_t* result, const long result_at, __global const storage_t* row,
                                 const long row_at, __global const storage_t* column, const long column_at,
                                 __global const storage_t* row_value, const long row_value_at,
                                 __global const storage_t* column_value, const long column_value_at,
                                 __global const storage_t* factor, const long factor_at, __global const uchar* mask,
                                 const long mask_at, __global const float* lse, const long lse_at,
                                 __global const float* delta, const long delta_at,
                                 const struct attention_backward_shape s) {
    __local float a_strip[MB * A_PITCH], b_strip[KC * B_PITCH], scores[MB * C_PITCH], slopes[MB * C_PITCH];
    __local float sums[MB * C_PITCH];
    __local float query_lse[MB > NB ? MB : NB], query_delta[MB > NB ? MB : NB];

    long unit = get_group_id(0);
    const long panel = unit % s.panels;
    unit /= s.panels;
    const long r0 = unit % s.blocks * s.block;
    unit /= s.blocks;
    const long batch = unit / s.row_heads, head = unit - batch * s.row_heads;
    const long c0 = panel * NB;
    const int rows = limit(s.rows - r0, s.block), width = limit(s.width - c0, NB);
    const int of_q = s.of == OF_Q;
    const struct tiles tiles = tiles_of(rows, width);
    const long row_i = row_at + batch * s.row_batch + head * s.row_head + r0 * s.row_row;
    const long row_value_i = row_value_at + batch * s.row_value_batch + head * s.row_value_head + r0 * s.row_value_row;
    long first = 0, last = s.columns; /* what these rows see, or are seen by */
    if (s.mask.causal) {
        if (of_q)
            last = min(last, max(r0 + rows + s.mask.causal_offset, (long)0));
        else
            first = max(r0 - s.mask.causal_offset, (long)0);
    }
    const long mask_row = of_q ? s.mask.query : s.mask.key, mask_column = of_q ? s.mask.key : s.mask.query;

    clear_sums(sums, tiles);
    floatv acc[TM][TV];
    const int shared = of_q ? 1 : s.heads_per_kv;
    for (int h = 0; h < shared; h++) {
        const long query_head = of_q ? head : head * s.heads_per_kv + h;
        const long column_kv = of_q ? head / s.heads_per_kv : query_head;
        const long mask_i = mask_at + batch * s.mask.batch + query_head * s.mask.head;
        const long lse_i = lse_at + batch * s.lse_batch + query_head * s.lse_head;
        const long delta_i = delta_at + batch * s.delta_batch + query_head * s.delta_head;
        for (long j0 = first; j0 < last; j0 += NB) {
            const int columns = limit(last - j0, NB), vectors = (columns + VW - 1) / VW;
            const long query0 = of_q ? r0 : j0;
            const int queries = of_q ? rows : columns;
            for (int i = LOCAL_ID; i < (queries + VW - 1) / VW * VW; i += LOCAL_SIZE) {
                const float l = i < queries ? lse[lse_i + (query0 + i) * s.lse_row] : 0.0f;
                query_lse[i] = l == -INFINITY ? 0.0f : l; /* nothing seen: all scores are -inf, and exp gives 0 */
                query_delta[i] = i < queries && s.of != OF_V ? delta[delta_i + query0 + i] : 0.0f;
            }
            const long column_i = column_at + batch * s.column_batch + column_kv * s.column_head + j0 * s.column_row;
            const long column_value_i = column_value_at + batch * s.column_value_batch +
                                        column_kv * s.column_value_head + j0 * s.column_value_row;
            /* One call: clang would write the strips' addresses into a function that is called twice, where PoCL 3.1
             * does not replace them by those of a thread's own local memory. */
            for (int values = 0; values < (s.of == OF_V ? 1 : 2); values++)
                row_products(acc, values ? slopes : scores, a_strip, b_strip, values ? row_value : row,
                             values ? row_value_i : row_i, values ? s.row_value_row : s.row_row,
                             values ? column_value : column, values ? column_value_i : column_i,
                             values ? s.column_value_row : s.column_row, rows, columns,
                             values ? s.value_dim : s.head_dim);
            pack(b_strip, B_PITCH, factor,
                 factor_at + batch * s.factor_batch + column_kv * s.factor_head + j0 * s.factor_row + c0, s.factor_row,
                 1, columns, tiles.across_n * NR, columns, width);
            for (struct walk w = walk_start(vectors); w.row < rows; w = walk_next(w)) {
                const int j = w.column * VW, at = w.row * C_PITCH + j;
                floatv x = mask_scores(vload_v(scores + at) * s.scale, mask,
                                       mask_i + (r0 + w.row) * mask_row + (j0 + j) * mask_column, mask_column,
                                       columns - j, s.mask.kind);
                if (s.mask.causal && of_q)
                    x = keep_lanes(x, 0, r0 + w.row + s.mask.causal_offset - (j0 + j));
                else if (s.mask.causal)
                    x = keep_lanes(x, r0 + w.row - s.mask.causal_offset - (j0 + j), VW);
                floatv l = broadcast_v(query_lse[w.row]), d = broadcast_v(query_delta[w.row]);
                if (!of_q) {
                    l = vload_v(query_lse + j);
                    d = vload_v(query_delta + j);
                }
                floatv p = exp(x - l);
                if (s.of != OF_V)
                    p *= vload_v(slopes + at) - d;
                vstore_v(p, scores + at);
            }
            group_barrier();
            add_weighted(sums, scores, b_strip, query_lse, 0, tiles, columns);
            group_barrier();
        }
    }
    group_barrier(); /* where nothing was seen */
    const float scale = s.of == OF_V ? 1.0f : s.scale;
    const long result_i = result_at + batch * s.out_batch + head * s.out_head + r0 * s.out_row + c0;
    for (struct walk w = walk_start((width + VW - 1) / VW); w.row < rows; w = walk_next(w)) {
        const int j = w.column * VW;
        store_any(result, result_i + w.row * s.out_row + j, 1, width - j,
                  vload_v(sums + w.row * C_PITCH + j) * scale);
    }
}

struct attention_delta_shape {
    long heads, queries, value_dim;
    long gradient_batch, gradient_head, gradient_row, out_batch, out_head, out_row;
    long units, units_per_group; /* queries of all heads */
};

/* delta = Σ g · out of each query. */
__kernel void attention_delta(__global float* delta, const long delta_at, __global const storage_t* gradient,
                              const long gradient_at, __global const storage_t* out, const long out_at,
                              const struct attention_delta_shape s) {
    SCRATCH(float, scratch);
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin; unit < end; unit++) {
        const long slice = unit / s.queries, query = unit - slice * s.queries;
        const long batch = slice / s.heads, head = slice - batch * s.heads;
        const long g_i = gradient_at + batch * s.gradient_batch + head * s.gradient_head + query * s.gradient_row;
        const long out_i = out_at + batch * s.out_batch + head * s.out_head + query * s.out_row;
        floatv sums = broadcast_v(0.0f);
        for (long i = (long)LOCAL_ID * VW; i < s.value_dim; i += (long)LOCAL_SIZE * VW) {
            const int count = (int)min(s.value_dim - i, (long)VW);
            sums += load_any(gradient, g_i + i, 1, count, 0.0f) * load_any(out, out_i + i, 1, count, 0.0f);
        }
        const float sum = group_sum(sum_lanes(sums), scratch);
        if (LOCAL_ID == 0)
            delta[delta_at + unit] = sum;
    }
}
