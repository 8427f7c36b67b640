/* Batch norm of [images, channels, ...]. A group takes one channel after another, or VW of them where these are
 * neighbours in memory (`across`), and walks their elements: rows of the innermost other axis. */
#include "devq.cl"

struct batch_norm_shape {
    /* of the axes but the channel and the innermost; a: what is written, b: in, c: out_gradient */
    long sizes[8], a_strides[8], b_strides[8], c_strides[8];
    long channels, a_channel, b_channel, c_channel;
    long inner, a_inner, b_inner, c_inner; /* size and strides of the innermost axis but the channel */
    long rows;                             /* inner rows of a channel */
    long units, units_per_group;           /* channels, or VW of them; for `apply` and `backward` those of each row */
    float epsilon, momentum;
    int rank, across;
    int lanes;                             /* work-items side by side in a row; the others take other rows */
    int has_gamma, has_beta, has_running, is_variance;
    int unused;
};

struct batch_norm_place {
    long a, b, c;
};
static inline struct batch_norm_place batch_norm_row(table_space const struct batch_norm_shape* t, int rank, long row) {
    struct batch_norm_place p;
    p.a = 0;
    p.b = 0;
    p.c = 0;
    for (int d = rank - 1; d >= 0; d--) {
        const long at = row % t->sizes[d];
        row /= t->sizes[d];
        p.a += at * t->a_strides[d];
        p.b += at * t->b_strides[d];
        p.c += at * t->c_strides[d];
    }
    return p;
}

/* The i-th step along a row: VW elements of a channel, or the next element of `count` channels. */
#define STEPS(s) ((s).across ? (s).inner : ((s).inner + VW - 1) / VW)
#define STEP_AT(s, i, stride) ((s).across ? (i) * (stride) : (i) * VW * (stride))
#define STEP_STRIDE(s, stride) ((s).across ? 1L : (stride))
#define STEP_COUNT(s, i, count) ((s).across ? (count) : (int)min((s).inner - (i) * VW, (long)VW))

/* Sums over the group, and over the lanes where these are one channel's. */
#if GROUP == 1
#define channel_total(x, across, scratch) ((across) ? (x) : broadcast_v(sum_lanes(x)))
#else
static inline floatv channel_total(floatv x, int across, __local float* scratch) {
    float lanes[VW];
    if (!across)
        return broadcast_v(group_sum(sum_lanes(x), scratch));
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++)
        lanes[j] = group_sum(lanes[j], scratch);
    return vload_v(lanes);
}
#endif

/* One value a channel: the same in all lanes, or `count` neighbours. */
static inline floatv channel_values(__global const float* p, long i, int across, int count, float other) {
    float lanes[VW];
    if (!across)
        return broadcast_v(p[i]);
    for (int j = 0; j < VW; j++)
        lanes[j] = j < count ? p[i + j] : other;
    return vload_v(lanes);
}
static inline void store_channel_values(__global float* p, long i, int across, int count, floatv x) {
    float lanes[VW];
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++)
        if (j < (across ? count : 1))
            p[i + j] = lanes[j];
}

__kernel void batch_norm_statistics(__global const storage_t* in, const long in_at, __global float* mean,
                                    const long mean_at, __global float* inverse, const long inverse_at,
                                    __global float* running_mean, const long running_mean_at,
                                    __global float* running_variance, const long running_variance_at,
                                    const struct batch_norm_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct batch_norm_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group, end = min(begin + s.units_per_group, s.units);
    const long steps = STEPS(s), first_step = LOCAL_ID % s.lanes, first_row = LOCAL_ID / s.lanes;
    const long row_step = LOCAL_SIZE / s.lanes;
    const float n = (float)s.rows * (float)s.inner;
    for (long unit = begin; unit < end; unit++) {
        const long c = s.across ? unit * VW : unit;
        const int count = s.across ? (int)min(s.channels - c, (long)VW) : VW;
        floatv sums = broadcast_v(0.0f);
        for (long row = first_row; row < s.rows; row += row_step) {
            const long at = in_at + c * s.b_channel + batch_norm_row(t, s.rank, row).b;
            for (long i = first_step; i < steps; i += s.lanes)
                sums += load_any(in, at + STEP_AT(s, i, s.b_inner), STEP_STRIDE(s, s.b_inner), STEP_COUNT(s, i, count),
                                 0.0f);
        }
        /* A first mean, good enough to lose no digits of the differences; these correct it. */
        const floatv about = channel_total(sums, s.across, scratch) / n;
        float lanes[VW];
        vstore_v(about, lanes);
        const float pad = lanes[0]; /* of lanes beyond a row's end: they differ from the mean by 0 */
        floatv squares = broadcast_v(0.0f);
        sums = broadcast_v(0.0f);
        for (long row = first_row; row < s.rows; row += row_step) {
            const long at = in_at + c * s.b_channel + batch_norm_row(t, s.rank, row).b;
            for (long i = first_step; i < steps; i += s.lanes) {
                const int some = STEP_COUNT(s, i, count);
                const floatv x =
                    load_any(in, at + STEP_AT(s, i, s.b_inner), STEP_STRIDE(s, s.b_inner), some, pad);
                const floatv d = x - about;
                sums += d;
                squares += d * d;
            }
        }
        const floatv off = channel_total(sums, s.across, scratch) / n;
        const floatv square_sum = channel_total(squares, s.across, scratch) - off * off * n;
        const floatv middle = about + off, square = max_nan(square_sum, broadcast_v(0.0f));
        if (LOCAL_ID == 0) {
            store_channel_values(mean, mean_at + c, s.across, count, middle);
            store_channel_values(inverse, inverse_at + c, s.across, count, 1.0f / sqrt(square / n + s.epsilon));
            if (s.has_running) {
                const floatv old_mean = channel_values(running_mean, running_mean_at + c, s.across, count, 0.0f);
                const floatv old = channel_values(running_variance, running_variance_at + c, s.across, count, 0.0f);
                store_channel_values(running_mean, running_mean_at + c, s.across, count,
                                     (1.0f - s.momentum) * old_mean + s.momentum * middle);
                store_channel_values(running_variance, running_variance_at + c, s.across, count,
                                     (1.0f - s.momentum) * old + s.momentum * (square / (n - 1.0f)));
            }
        }
    }
}

__kernel void batch_norm_apply(__global storage_t* out, const long out_at, __global const storage_t* in,
                               const long in_at, __global const float* mean, const long mean_at,
                               __global const float* spread, const long spread_at, __global const float* gamma,
                               const long gamma_at, __global const float* beta, const long beta_at,
                               const struct batch_norm_shape s) {
    TABLES(struct batch_norm_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group, end = min(begin + s.units_per_group, s.units);
    const long steps = STEPS(s), pieces = s.across ? (s.channels + VW - 1) / VW : s.channels;
    for (long unit = begin; unit < end; unit++) {
        const long row = unit / pieces, piece = unit - row * pieces, c = s.across ? piece * VW : piece;
        const int count = s.across ? (int)min(s.channels - c, (long)VW) : VW;
        const struct batch_norm_place p = batch_norm_row(t, s.rank, row);
        const floatv middle = channel_values(mean, mean_at + c, s.across, count, 0.0f);
        floatv scale = channel_values(spread, spread_at + c, s.across, count, 1.0f);
        floatv shift = broadcast_v(0.0f);
        if (s.is_variance)
            scale = 1.0f / sqrt(scale + s.epsilon);
        if (s.has_gamma)
            scale *= channel_values(gamma, gamma_at + c, s.across, count, 1.0f);
        if (s.has_beta)
            shift = channel_values(beta, beta_at + c, s.across, count, 0.0f);
        const long to = out_at + c * s.a_channel + p.a, from = in_at + c * s.b_channel + p.b;
        for (long i = LOCAL_ID; i < steps; i += LOCAL_SIZE) {
            const int some = STEP_COUNT(s, i, count);
            const floatv x =
                load_any(in, from + STEP_AT(s, i, s.b_inner), STEP_STRIDE(s, s.b_inner), some, 0.0f);
            store_any(out, to + STEP_AT(s, i, s.a_inner), STEP_STRIDE(s, s.a_inner), some,
                      (x - middle) * scale + shift);
        }
    }
}

/* Σ out_gradient and Σ out_gradient · x̂ of each channel. */
__kernel void batch_norm_sums(__global const storage_t* gradient, const long gradient_at, __global const storage_t* in,
                              const long in_at, __global const float* mean, const long mean_at,
                              __global const float* inverse, const long inverse_at, __global float* gamma_gradient,
                              const long gamma_gradient_at, __global float* beta_gradient, const long beta_gradient_at,
                              const struct batch_norm_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct batch_norm_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group, end = min(begin + s.units_per_group, s.units);
    const long steps = STEPS(s), first_step = LOCAL_ID % s.lanes, first_row = LOCAL_ID / s.lanes;
    const long row_step = LOCAL_SIZE / s.lanes;
    for (long unit = begin; unit < end; unit++) {
        const long c = s.across ? unit * VW : unit;
        const int count = s.across ? (int)min(s.channels - c, (long)VW) : VW;
        const floatv middle = channel_values(mean, mean_at + c, s.across, count, 0.0f);
        const floatv scale = channel_values(inverse, inverse_at + c, s.across, count, 0.0f);
        floatv sums = broadcast_v(0.0f), products = broadcast_v(0.0f);
        for (long row = first_row; row < s.rows; row += row_step) {
            const struct batch_norm_place p = batch_norm_row(t, s.rank, row);
            const long x_at = in_at + c * s.b_channel + p.b, g_at = gradient_at + c * s.c_channel + p.c;
            for (long i = first_step; i < steps; i += s.lanes) {
                const int some = STEP_COUNT(s, i, count);
                const floatv x =
                    load_any(in, x_at + STEP_AT(s, i, s.b_inner), STEP_STRIDE(s, s.b_inner), some, 0.0f);
                const floatv g =
                    load_any(gradient, g_at + STEP_AT(s, i, s.c_inner), STEP_STRIDE(s, s.c_inner), some, 0.0f);
                sums += g;
                products += g * ((x - middle) * scale);
            }
        }
        sums = channel_total(sums, s.across, scratch);
        products = channel_total(products, s.across, scratch);
        if (LOCAL_ID == 0) {
            store_channel_values(beta_gradient, beta_gradient_at + c, s.across, count, sums);
            store_channel_values(gamma_gradient, gamma_gradient_at + c, s.across, count, products);
        }
    }
}

__kernel void batch_norm_backward(__global storage_t* in_gradient, const long in_gradient_at,
                                  __global const storage_t* gradient, const long gradient_at,
                                  __global const storage_t* in, const long in_at, __global const float* mean,
                                  const long mean_at, __global const float* inverse, const long inverse_at,
                                  __global const float* gamma, const long gamma_at,
                                  __global const float* gamma_gradient, const long gamma_gradient_at,
                                  __global const float* beta_gradient, const long beta_gradient_at,
                                  const struct batch_norm_shape s) {
    TABLES(struct batch_norm_shape, t, s, s.rank);
    const long begin = (long)get_group_id(0) * s.units_per_group, end = min(begin + s.units_per_group, s.units);
    const long steps = STEPS(s), pieces = s.across ? (s.channels + VW - 1) / VW : s.channels;
    const float n = (float)s.rows * (float)s.inner;
    for (long unit = begin; unit < end; unit++) {
        const long row = unit / pieces, piece = unit - row * pieces, c = s.across ? piece * VW : piece;
        const int count = s.across ? (int)min(s.channels - c, (long)VW) : VW;
        const struct batch_norm_place p = batch_norm_row(t, s.rank, row);
        const floatv middle = channel_values(mean, mean_at + c, s.across, count, 0.0f);
        const floatv scale = channel_values(inverse, inverse_at + c, s.across, count, 0.0f);
        const floatv sum = channel_values(beta_gradient, beta_gradient_at + c, s.across, count, 0.0f) / n;
        const floatv product = channel_values(gamma_gradient, gamma_gradient_at + c, s.across, count, 0.0f) / n;
        floatv slope = scale;
        if (s.has_gamma)
            slope *= channel_values(gamma, gamma_at + c, s.across, count, 1.0f);
        const long to = in_gradient_at + c * s.a_channel + p.a, x_at = in_at + c * s.b_channel + p.b,
                   g_at = gradient_at + c * s.c_channel + p.c;
        for (long i = LOCAL_ID; i < steps; i += LOCAL_SIZE) {
            const int some = STEP_COUNT(s, i, count);
            const floatv x = load_any(in, x_at + STEP_AT(s, i, s.b_inner), STEP_STRIDE(s, s.b_inner), some, 0.0f);
            const floatv g =
                load_any(gradient, g_at + STEP_AT(s, i, s.c_inner), STEP_STRIDE(s, s.c_inner), some, 0.0f);
            store_any(in_gradient, to + STEP_AT(s, i, s.a_inner), STEP_STRIDE(s, s.a_inner), some,
                      slope * (g - sum - (x - middle) * scale * product));
        }
    }
}
