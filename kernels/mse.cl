/* Squares of differences with their gradient in one pass: stored one by one, or as partial sums over chunks of fixed
 * length, which a second launch adds up. */
#include "devq.cl"

struct mse_axes {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long x[8], target[8], gradient[8], loss[8];
};
struct mse_shape {
    struct mse_axes axes;
    long inner, x_inner, target_inner, gradient_inner, loss_inner;
    long units, units_per_chunk; /* a unit: up to VW neighbours of one inner row */
    long chunks, chunks_per_group;
    float scale;
    int rank, has_gradient, has_factor, per_element, unused;
};

__kernel void mse(__global float* loss, const long loss_at, __global const storage_t* x, const long x_at,
                  __global const storage_t* target, const long target_at, __global storage_t* gradient,
                  const long gradient_at, __global const float* factor, const long factor_at,
                  const struct mse_shape s) {
    SCRATCH(float, scratch);
    TABLES(struct mse_axes, axes, s.axes, s.rank);
    const float scale = s.has_factor ? s.scale * factor[factor_at] : s.scale;
    const long units_per_row = (s.inner + VW - 1) / VW;
    const long begin = (long)get_group_id(0) * s.chunks_per_group;
    const long end = min(begin + s.chunks_per_group, s.chunks);
    for (long chunk = begin; chunk < end; chunk++) {
        const long last = min((chunk + 1) * s.units_per_chunk, s.units);
        floatv sums = broadcast_v(0.0f);
        for (long unit = chunk * s.units_per_chunk + LOCAL_ID; unit < last; unit += LOCAL_SIZE) {
            long rest = s.rank == 0 ? 0 : unit / units_per_row;
            const long first = (unit - rest * units_per_row) * VW;
            long x_i = x_at + first * s.x_inner, target_i = target_at + first * s.target_inner;
            long gradient_i = gradient_at + first * s.gradient_inner, loss_i = loss_at + first * s.loss_inner;
            for (int d = s.rank - 1; d >= 0; d--) {
                const long c = rest % axes->sizes[d];
                rest /= axes->sizes[d];
                x_i += c * axes->x[d];
                target_i += c * axes->target[d];
                gradient_i += c * axes->gradient[d];
                loss_i += c * axes->loss[d];
            }
            const int count = (int)min(s.inner - first, (long)VW);
            const floatv difference = load_any(x, x_i, s.x_inner, count, 0.0f) -
                                      load_any(target, target_i, s.target_inner, count, 0.0f);
            const floatv square = difference * difference;
            if (s.has_gradient)
                store_any(gradient, gradient_i, s.gradient_inner, count, difference * scale);
            if (s.per_element) {
                if (s.loss_inner == 1 && count >= VW) {
                    store_f32_v(loss, loss_i, square);
                } else {
                    float lanes[VW];
                    vstore_v(square, lanes);
                    for (int j = 0; j < VW; j++)
                        if (j < count)
                            loss[loss_i + j * s.loss_inner] = lanes[j];
                }
            } else {
                sums += square;
            }
        }
        if (!s.per_element) {
            const float sum = group_sum(sum_lanes(sums), scratch);
            if (LOCAL_ID == 0)
                loss[loss_at + chunk] = sum;
        }
    }
}

/* One group: the mean from the partial sums. */
__kernel void mse_mean(__global float* loss, const long loss_at, __global const float* partials,
                       const long partials_at, const long count, const float elements) {
    SCRATCH(float, scratch);
    float sum = 0.0f;
    for (long i = LOCAL_ID; i < count; i += LOCAL_SIZE)
        sum += partials[partials_at + i];
    sum = group_sum(sum, scratch);
    if (LOCAL_ID == 0)
        loss[loss_at] = sum / elements;
}
