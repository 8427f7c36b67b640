/* Softmax cross-entropy of one row of logits a group at a time, with its gradient. */
#include "devq.cl"

struct cross_entropy_shape {
    long rows, classes;
    long logits_row, logits_class, gradient_row, gradient_class, loss_stride, label_stride;
    long rows_per_group;
    float scale;
    int has_gradient, has_factor;
    int unused;
};

__kernel void cross_entropy(__global float* loss, const long loss_at, __global const storage_t* logits,
                            const long logits_at, __global const int* labels, const long labels_at,
                            __global storage_t* gradient, const long gradient_at, __global const float* factor,
                            const long factor_at, const struct cross_entropy_shape s) {
    SCRATCH(float, scratch);
    const long begin = (long)get_group_id(0) * s.rows_per_group;
    const long end = min(begin + s.rows_per_group, s.rows);
    const long step = (long)LOCAL_SIZE * VW, start = (long)LOCAL_ID * VW;
    const float scale = s.has_factor ? s.scale * factor[factor_at] : s.scale;
    for (long row = begin; row < end; row++) {
        const long x_at = logits_at + row * s.logits_row, g_at = gradient_at + row * s.gradient_row;
        const long label = labels[labels_at + row * s.label_stride];
        const int known = label >= 0 && label < s.classes;
        /* read before anyone writes the gradient, which may lie in the same place */
        const float chosen = known ? load(logits, x_at + label * s.logits_class) : NAN;
        floatv most = broadcast_v(-INFINITY);
        for (long i = start; i < s.classes; i += step) {
            const floatv x = load_any(logits, x_at + i * s.logits_class, s.logits_class,
                                      (int)min(s.classes - i, (long)VW), -INFINITY);
            most = max_nan(x, most);
        }
        const float peak = group_max(max_lanes(most), scratch);
        floatv sums = broadcast_v(0.0f);
        for (long i = start; i < s.classes; i += step)
            sums += exp(load_any(logits, x_at + i * s.logits_class, s.logits_class,
                                 (int)min(s.classes - i, (long)VW), -INFINITY) - peak);
        const float sum = group_sum(sum_lanes(sums), scratch);
        if (LOCAL_ID == 0)
            store_f32(loss, loss_at + row * s.loss_stride, log(sum) + (peak - chosen));
        if (s.has_gradient) {
            const float by_sum = known ? 1.0f / sum : NAN;
            for (long i = start; i < s.classes; i += step) {
                const int count = (int)min(s.classes - i, (long)VW);
                const floatv x = load_any(logits, x_at + i * s.logits_class, s.logits_class, count, 0.0f);
                float lanes[VW];
                vstore_v(exp(x - peak) * by_sum, lanes);
                if (label >= i && label < i + VW)
                    lanes[label - i] -= 1.0f;
                store_any(gradient, g_at + i * s.gradient_class, s.gradient_class, count, vload_v(lanes) * scale);
            }
        }
    }
}
