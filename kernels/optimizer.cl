/* Updates of f32 master weights (SGD, Adam), and dynamic loss scaling. T: of gradients and weights. */
#include "devq.cl"

/* The end of f32 tensors beside those of type T: `count` < VW elements; lanes beyond get 0 and touch no memory. */
static inline floatv load_f32_end(__global const float* p, long i, int count) {
    float lanes[VW];
    for (int j = 0; j < VW; j++)
        lanes[j] = j < count ? p[i + j] : 0.0f;
    return vload_v(lanes);
}
static inline void store_f32_end(__global float* p, long i, int count, floatv x) {
    float lanes[VW];
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++)
        if (j < count)
            p[i + j] = lanes[j];
}

struct sgd_options {
    long count, count_per_group;
    float learning_rate, momentum, weight_decay;
    int has_skip, nesterov, unused;
};

static inline floatv sgd_step(const struct sgd_options* s, floatv w, floatv* velocity, floatv gradient) {
    const floatv g = gradient + s->weight_decay * w;
    const floatv v = s->momentum * *velocity + g;
    *velocity = v;
    return w - s->learning_rate * (s->nesterov ? g + s->momentum * v : v);
}

__kernel void sgd(__global storage_t* weights, const long weights_at, __global float* master, const long master_at,
                  __global float* velocity, const long velocity_at, __global const storage_t* gradient,
                  const long gradient_at, __global const float* skip, const long skip_at, const struct sgd_options s) {
    if (s.has_skip && skip[skip_at] != 0.0f)
        return;
    const long begin = (long)get_group_id(0) * s.count_per_group;
    const long end = min(begin + s.count_per_group, s.count);
    const long step = (long)LOCAL_SIZE * VW;
    long i = begin + (long)LOCAL_ID * VW;
    for (; i + VW <= end; i += step) {
        floatv v = load_f32_v(velocity, velocity_at + i);
        const floatv w = sgd_step(&s, load_f32_v(master, master_at + i), &v, load_v(gradient, gradient_at + i));
        store_f32_v(velocity, velocity_at + i, v);
        store_f32_v(master, master_at + i, w);
        store_v(weights, weights_at + i, w);
    }
    if (i < end) {
        const int count = (int)(end - i);
        floatv v = load_f32_end(velocity, velocity_at + i, count);
        const floatv w = sgd_step(&s, load_f32_end(master, master_at + i, count), &v,
                                  load_some(gradient, gradient_at + i, 1, count, 0.0f));
        store_f32_end(velocity, velocity_at + i, count, v);
        store_f32_end(master, master_at + i, count, w);
        store_some(weights, weights_at + i, 1, count, w);
    }
}

struct adam_options {
    long count, count_per_group;
    float rate, decay, keep; /* keep: what decoupled weight decay leaves of a weight */
    float beta1, rest1, beta2, rest2, epsilon; /* rest: 1 - beta */
    float log_beta1, log_beta2;
    float step_size, root_scale; /* rate / (1 - beta1^t), 1 / sqrt(1 - beta2^t); not looked at with has_steps */
    int has_skip, has_steps;
};

struct adam_rates {
    float step_size, root_scale;
};
static inline floatv adam_step(const struct adam_options* s, struct adam_rates rates, floatv w, floatv* first,
                               floatv* second, floatv gradient) {
    const floatv g = s->decay != 0.0f ? gradient + s->decay * w : gradient;
    const floatv m = s->beta1 * *first + s->rest1 * g;
    const floatv v = s->beta2 * *second + s->rest2 * (g * g);
    *first = m;
    *second = v;
    return s->keep * w - rates.step_size * (m / (sqrt(v) * rates.root_scale + s->epsilon));
}

__kernel void adam(__global storage_t* weights, const long weights_at, __global float* master, const long master_at,
                   __global float* first, const long first_at, __global float* second, const long second_at,
                   __global const storage_t* gradient, const long gradient_at, __global const float* skip,
                   const long skip_at, __global const int* steps, const long steps_at, const struct adam_options s) {
    if (s.has_skip && skip[skip_at] != 0.0f)
        return;
    struct adam_rates rates;
    rates.step_size = s.step_size;
    rates.root_scale = s.root_scale;
    if (s.has_steps) {
        /* 1 - beta^t without cancellation */
        const float t = (float)steps[steps_at];
        rates.step_size = s.rate / -expm1(t * s.log_beta1);
        rates.root_scale = 1.0f / sqrt(-expm1(t * s.log_beta2));
    }
    const long begin = (long)get_group_id(0) * s.count_per_group;
    const long end = min(begin + s.count_per_group, s.count);
    const long step = (long)LOCAL_SIZE * VW;
    long i = begin + (long)LOCAL_ID * VW;
    for (; i + VW <= end; i += step) {
        floatv m = load_f32_v(first, first_at + i), v = load_f32_v(second, second_at + i);
        const floatv w =
            adam_step(&s, rates, load_f32_v(master, master_at + i), &m, &v, load_v(gradient, gradient_at + i));
        store_f32_v(first, first_at + i, m);
        store_f32_v(second, second_at + i, v);
        store_f32_v(master, master_at + i, w);
        store_v(weights, weights_at + i, w);
    }
    if (i < end) {
        const int count = (int)(end - i);
        floatv m = load_f32_end(first, first_at + i, count), v = load_f32_end(second, second_at + i, count);
        const floatv w = adam_step(&s, rates, load_f32_end(master, master_at + i, count), &m, &v,
                                   load_some(gradient, gradient_at + i, 1, count, 0.0f));
        store_f32_end(first, first_at + i, count, m);
        store_f32_end(second, second_at + i, count, v);
        store_f32_end(master, master_at + i, count, w);
        store_some(weights, weights_at + i, 1, count, w);
    }
}

__kernel void count_step(__global int* steps, const long steps_at, __global const float* skip, const long skip_at,
                         const int has_skip) {
    if (get_global_id(0) == 0 && !(has_skip && skip[skip_at] != 0.0f))
        steps[steps_at] += 1;
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
