/* Stochastic gradient descent on f32 master weights, and dynamic loss scaling. T: of gradients and weights. */
#include "devq.cl"

struct sgd_options {
    long count, count_per_group;
    float learning_rate, momentum, weight_decay;
    int has_skip;
};

static inline void sgd_step(const struct sgd_options* s, float* master, float* velocity, float gradient) {
    const float g = gradient + s->weight_decay * *master;
    *velocity = s->momentum * *velocity + g;
    *master -= s->learning_rate * *velocity;
}

__kernel void sgd(__global storage_t* weights, const long weights_at, __global float* master, const long master_at,
                  __global float* velocity, const long velocity_at, __global const storage_t* gradient,
                  const long gradient_at, __global const float* skip, const long skip_at, const struct sgd_options s) {
    if (s.has_skip && skip[skip_at] != 0.0f)
        return;
    const long begin = (long)get_group_id(0) * s.count_per_group;
    const long end = min(begin + s.count_per_group, s.count);
    const long step = (long)LOCAL_SIZE * VW;
    for (long i = begin + (long)LOCAL_ID * VW; i < end; i += step) {
        if (i + VW <= end) {
            const floatv w = load_f32_v(master, master_at + i);
            const floatv g = load_v(gradient, gradient_at + i) + s.weight_decay * w;
            const floatv v = s.momentum * load_f32_v(velocity, velocity_at + i) + g;
            const floatv updated = w - s.learning_rate * v;
            store_f32_v(velocity, velocity_at + i, v);
            store_f32_v(master, master_at + i, updated);
            store_v(weights, weights_at + i, updated);
        } else {
            for (long j = i; j < end; j++) {
                float w = master[master_at + j], v = velocity[velocity_at + j];
                sgd_step(&s, &w, &v, load(gradient, gradient_at + j));
                velocity[velocity_at + j] = v;
                master[master_at + j] = w;
                store(weights, weights_at + j, w);
            }
        }
    }
}

struct unscale_shape {
    long sizes[8]; /* of the outer dimensions, outermost first */
    long strides[8];
    long inner, inner_stride;
    long units, units_per_group; /* a unit: up to VW neighbours of one inner row */
    int rank, unused;
};

/* x - x is 0 for every number, NaN for infinities and NaN. */
#define not_finite(x) ((x) - (x) != 0.0f)

__kernel void unscale(__global storage_t* gradient, const long gradient_at, __global const float* inverse_scale,
                      const long inverse_scale_at, __global float* found, const long found_at,
                      const struct unscale_shape s) {
    TABLES(struct unscale_shape, t, s, s.rank);
    const float scale = inverse_scale[inverse_scale_at];
    const long units_per_row = (s.inner + VW - 1) / VW;
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    intv bad = (intv)(0);
    for (long unit = begin + LOCAL_ID; unit < end; unit += LOCAL_SIZE) {
        const long row = s.rank == 0 ? 0 : unit / units_per_row, first = (unit - row * units_per_row) * VW;
        const int count = (int)min(s.inner - first, (long)VW);
        long at = gradient_at + first * s.inner_stride, rest = row;
        for (int d = s.rank - 1; d >= 0; d--) {
            at += rest % t->sizes[d] * t->strides[d];
            rest /= t->sizes[d];
        }
        const floatv x = load_any(gradient, at, s.inner_stride, count, 0.0f) * scale;
        store_any(gradient, at, s.inner_stride, count, x);
        /* as stored: what overflows only in f16 counts */
        const floatv y = load_any(gradient, at, s.inner_stride, count, 0.0f);
        bad |= not_finite(y);
    }
#if VW == 1
    const int any_bad = bad;
#else
    const int any_bad = any(bad);
#endif
    if (any_bad)
        found[found_at] = 1.0f; /* everyone writes the same */
}

__kernel void update_loss_scale(__global float* scale, const long scale_at, __global float* inverse_scale,
                                const long inverse_scale_at, __global float* good_steps, const long good_steps_at,
                                __global float* found, const long found_at, const float growth_interval) {
    if (get_global_id(0) != 0)
        return;
    float value = scale[scale_at], good = good_steps[good_steps_at];
    if (found[found_at] != 0.0f) {
        value *= 0.5f;
        good = 0.0f;
    } else {
        good += 1.0f;
        if (good >= growth_interval) {
            value *= 2.0f;
            good = 0.0f;
        }
    }
    scale[scale_at] = value;
    inverse_scale[inverse_scale_at] = 1.0f / value;
    good_steps[good_steps_at] = good;
    found[found_at] = 0.0f;
}
