/* Softmax cross-entropy of one row of logits a group at a time, with its gradient. */
#include "devq.cl"

struct cross_entropy_shape {
    long rows, classes;
    long logits_row, logits_class, gradient_row, gradient_class, loss_stride, label_stride, weight_stride;
    long rows_per_group;
    float scale;
    float hot, smooth; /* 1 - smoothing; smoothing / classes */
    int ignored;       /* a label, where has_ignored */
    int has_gradient, has_factor, has_ignored, has_weights, has_smoothing, divides;
};

static inline floatv load_weights(__global const float* weights, long at, long stride, int count) {
    if (stride == 1 && count >= VW)
        return load_f32_v(weights, at);
    float lanes[VW];
    for (int j = 0; j < VW; j++)
        lanes[j] = j < count ? weights[at + j * stride] : 0.0f;
    return vload_v(lanes);
}

__kernel void cross_entropy(__global float* loss, const long loss_at, __global const storage_t* logits,
                            const long logits_at, __global const int* labels, const long labels_at,
                            __global storage_t* gradient, const long gradient_at, __global const float* factor,
                            const long factor_at, __global const float* weights, const long weights_at,
                            __global const float* total, const long total_at, const struct cross_entropy_shape s) {
    SCRATCH(float, scratch);
    const long begin = (long)get_group_id(0) * s.rows_per_group;
    const long end = min(begin + s.rows_per_group, s.rows);
    const long step = (long)LOCAL_SIZE * VW, start = (long)LOCAL_ID * VW;
    float scale = s.has_factor ? s.scale * factor[factor_at] : s.scale;
    if (s.divides)
        scale /= total[total_at];
    float smoothed = s.has_smoothing ? 1.0f - s.hot : 0.0f; /* smoothing / classes · Σ weights */
    if (s.has_smoothing && s.has_weights) {
        floatv sums = broadcast_v(0.0f);
        for (long i = start; i < s.classes; i += step)
            sums += load_weights(weights, weights_at + i * s.weight_stride, s.weight_stride,
                                 (int)min(s.classes - i, (long)VW));
        smoothed = s.smooth * group_sum(sum_lanes(sums), scratch);
    }
    for (long row = begin; row < end; row++) {
        const long x_at = logits_at + row * s.logits_row, g_at = gradient_at + row * s.gradient_row;
        const long label = labels[labels_at + row * s.label_stride];
        if (s.has_ignored && label == s.ignored) {
            if (LOCAL_ID == 0)
                store_f32(loss, loss_at + row * s.loss_stride, 0.0f);
            if (s.has_gradient)
                for (long i = start; i < s.classes; i += step)
                    store_any(gradient, g_at + i * s.gradient_class, s.gradient_class,
                              (int)min(s.classes - i, (long)VW), broadcast_v(0.0f));
            continue;
        }
        const int known = label >= 0 && label < s.classes;
        /* read before anyone writes the gradient, which may lie in the same place */
        const float chosen = known ? load(logits, x_at + label * s.logits_class) : NAN;
        const float hot = known && s.has_weights ? s.hot * weights[weights_at + label * s.weight_stride] : s.hot;
        const float all = hot + smoothed; /* what stands before log Σ */
        floatv most = broadcast_v(-INFINITY);
        for (long i = start; i < s.classes; i += step) {
            const floatv x = load_any(logits, x_at + i * s.logits_class, s.logits_class,
                                      (int)min(s.classes - i, (long)VW), -INFINITY);
            most = max_nan(x, most);
        }
        const float peak = group_max(max_lanes(most), scratch);
        floatv sums = broadcast_v(0.0f), distances = sums;
        for (long i = start; i < s.classes; i += step) {
            const int count = (int)min(s.classes - i, (long)VW);
            const floatv x = load_any(logits, x_at + i * s.logits_class, s.logits_class, count, -INFINITY) - peak;
            sums += exp(x);
            if (s.has_smoothing) {
                float lanes[VW];
                vstore_v(x, lanes);
                for (int j = 0; j < VW; j++) /* not -inf · 0 beyond the end */
                    lanes[j] = j < count ? lanes[j] : 0.0f;
                const floatv within = vload_v(lanes);
                if (s.has_weights)
                    distances -=
                        within * load_weights(weights, weights_at + i * s.weight_stride, s.weight_stride, count);
                else
                    distances -= within;
            }
        }
        const float sum = group_sum(sum_lanes(sums), scratch);
        float cost = all * log(sum) + hot * (peak - chosen);
        if (s.has_smoothing)
            cost += s.smooth * group_sum(sum_lanes(distances), scratch);
        if (LOCAL_ID == 0)
            store_f32(loss, loss_at + row * s.loss_stride, cost);
        if (s.has_gradient) {
            const float by_sum = known ? all / sum : NAN;
            for (long i = start; i < s.classes; i += step) {
                const int count = (int)min(s.classes - i, (long)VW);
                const floatv x = load_any(logits, x_at + i * s.logits_class, s.logits_class, count, 0.0f);
                floatv g = exp(x - peak) * by_sum;
                if (s.has_smoothing) {
                    if (s.has_weights)
                        g -= s.smooth *
                             load_weights(weights, weights_at + i * s.weight_stride, s.weight_stride, count);
                    else
                        g -= s.smooth;
                }
                float lanes[VW];
                vstore_v(g, lanes);
                if (label >= i && label < i + VW)
                    lanes[label - i] -= hot;
                store_any(gradient, g_at + i * s.gradient_class, s.gradient_class, count, vload_v(lanes) * scale);
            }
        }
    }
}

/* One group: the weight of all rows that are not ignored. Without weights they are counted, which is exact. */
__kernel void cross_entropy_count(__global float* total, const long total_at, __global const int* labels,
                                  const long labels_at, __global const float* weights, const long weights_at,
                                  const struct cross_entropy_shape s) {
    SCRATCH(float, scratch);
    float sum = 0.0f;
    long rows = 0;
    for (long row = LOCAL_ID; row < s.rows; row += LOCAL_SIZE) {
        const long label = labels[labels_at + row * s.label_stride];
        if (s.has_ignored && label == s.ignored)
            continue;
        if (label < 0 || label >= s.classes)
            sum = NAN;
        else if (s.has_weights)
            sum += weights[weights_at + label * s.weight_stride];
        else
            rows++;
    }
    sum = group_sum(sum + (float)rows, scratch);
    if (LOCAL_ID == 0)
        total[total_at] = sum;
}
