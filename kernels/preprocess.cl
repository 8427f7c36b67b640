/* Images of bytes, cut, resized, flipped and normalised: out[n, c, y, x] = value · scale[c] + offset[c]. A group takes
 * one row of an output image after another. Positions are 64-bit integers in units of 2^-40 pixel: the same everywhere.
 * LINE: floats of the filter's buffer. */
#include "devq.cl"

#if VW == 1
typedef uchar ucharv;
#else
typedef JOIN(uchar, VW) ucharv;
#endif

struct preprocess_shape {
    long in_image, in_row, in_pixel, in_channel; /* strides */
    long out_image, out_channel, out_row, out_pixel;
    long units, units_per_group; /* rows of output images */
    int images, rows, columns, channels, out_rows, out_columns;
    int has_boxes, has_images, has_flip, swap, bilinear;
    int packed; /* the bytes of an input row are neighbours */
    float scale_0, scale_1, scale_2, scale_3, offset_0, offset_1, offset_2, offset_3;
};

#define ONE (1L << 40)
#define HALF (1L << 39)

/* Where the outputs of one axis lie in the image: the i-th at first + i · step. Pixels low … high - 1 may be read. */
struct axis {
    long first, step;
    int low, high;
};
static inline float within(float x, float missing) {
    return x == x ? fmin(fmax(x, -1048576.0f), 1048576.0f) : missing;
}
static inline struct axis axis_of(float begin, float end, int size, int count) {
    struct axis a;
    const float from = within(begin, 0.0f), to = within(end, (float)size);
    a.low = min(max((int)floor(fmin(from, to)), 0), size - 1);
    a.high = min(max((int)ceil(fmax(from, to)), a.low + 1), size);
    const long exact = (long)(from * 1099511627776.0f); /* 2^40: a shift of the exponent */
    a.step = ((long)(to * 1099511627776.0f) - exact) / count;
    a.first = exact + a.step / 2;
    return a;
}
static inline long position_of(struct axis a, int i) {
    return min(max(a.first + i * a.step, a.low * ONE), a.high * ONE);
}

/* What a row of an output image is made from. */
struct row {
    long out, in; /* where the output's row and the input's image begin */
    int missing, flip;
    struct axis y, x;
    int number; /* of the row */
};
static inline struct row row_of(const struct preprocess_shape* s, long unit, long out_at, long in_at,
                                __global const float* boxes, __global const int* images, __global const uchar* flip) {
    struct row r;
    const long n = unit / s->out_rows;
    r.number = (int)(unit - n * s->out_rows);
    const long image = s->has_images ? images[n] : n;
    r.missing = s->has_images && (image < 0 || image >= s->images);
    r.out = out_at + n * s->out_image + r.number * s->out_row;
    r.in = in_at + image * s->in_image;
    r.flip = s->has_flip && flip[n] != 0;
    float y0 = 0.0f, x0 = 0.0f, y1 = (float)s->rows, x1 = (float)s->columns;
    if (s->has_boxes) {
        y0 = boxes[4 * n];
        x0 = boxes[4 * n + 1];
        y1 = boxes[4 * n + 2];
        x1 = boxes[4 * n + 3];
    }
    r.y = axis_of(y0, y1, s->rows, s->out_rows);
    r.x = axis_of(x0, x1, s->columns, s->out_columns);
    return r;
}

static inline float4 load_pixel(__global const uchar* in, long at, long stride, int channels) {
    float4 p = (float4)((float)in[at], 0.0f, 0.0f, 0.0f);
    if (channels > 1) {
        p.y = (float)in[at + stride];
        p.z = (float)in[at + 2 * stride];
    }
    if (channels > 3)
        p.w = (float)in[at + 3 * stride];
    return p;
}

static inline void store_pixel(__global storage_t* out, long at, const struct preprocess_shape* s, float4 p) {
    const float4 scale = (float4)(s->scale_0, s->scale_1, s->scale_2, s->scale_3);
    const float4 offset = (float4)(s->offset_0, s->offset_1, s->offset_2, s->offset_3);
    const float4 q = (s->swap ? p.zyxw : p) * scale + offset;
    store(out, at, q.x);
    if (s->channels > 1) {
        store(out, at + s->out_channel, q.y);
        store(out, at + 2 * s->out_channel, q.z);
    }
    if (s->channels > 3)
        store(out, at + 3 * s->out_channel, q.w);
}

static inline void store_missing(__global storage_t* out, const struct preprocess_shape* s, long at) {
    for (int x = LOCAL_ID; x < s->out_columns; x += LOCAL_SIZE)
        store_pixel(out, at + x * s->out_pixel, s, (float4)(NAN, NAN, NAN, NAN));
}

/* The two pixels around a position, and how much the second one counts. A step is cut off after 2^-40: nearest adds as
 * much as that can have cost, so that what lies on the border of two pixels goes to the second. */
struct pair {
    int first, second;
    float part;
};
static inline struct pair pair_of(struct axis a, int i, int bilinear) {
    struct pair p;
    const long at = position_of(a, i) + (bilinear ? -HALF : i + 1);
    const long kept = min(max(at, a.low * ONE), (a.high - 1) * ONE);
    p.first = (int)((bilinear ? kept : min(at, a.high * ONE - 1)) >> 40);
    p.second = min(p.first + 1, a.high - 1);
    p.part = bilinear ? (float)(kept & (ONE - 1)) * 9.094947017729282e-13f : 0.0f; /* 2^-40 */
    return p;
}

__kernel void preprocess_points(__global storage_t* out, const long out_at, __global const uchar* in, const long in_at,
                                __global const float* boxes, const long boxes_at, __global const int* images,
                                const long images_at, __global const uchar* flip, const long flip_at,
                                const struct preprocess_shape s) {
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    for (long unit = begin; unit < end; unit++) {
        const struct row r = row_of(&s, unit, out_at, in_at, boxes + boxes_at, images + images_at, flip + flip_at);
        if (r.missing) {
            store_missing(out, &s, r.out);
            continue;
        }
        const struct pair y = pair_of(r.y, r.number, s.bilinear);
        const long upper = r.in + y.first * s.in_row, lower = r.in + y.second * s.in_row;
        for (int i = LOCAL_ID; i < s.out_columns; i += LOCAL_SIZE) {
            const struct pair x = pair_of(r.x, r.flip ? s.out_columns - 1 - i : i, s.bilinear);
            const long left = x.first * s.in_pixel, right = x.second * s.in_pixel;
            float4 value = load_pixel(in, upper + left, s.in_channel, s.channels);
            if (s.bilinear) {
                const float4 b = load_pixel(in, upper + right, s.in_channel, s.channels);
                const float4 c = load_pixel(in, lower + left, s.in_channel, s.channels);
                const float4 d = load_pixel(in, lower + right, s.in_channel, s.channels);
                const float4 above = value + x.part * (b - value), below = c + x.part * (d - c);
                value = above + y.part * (below - above);
            }
            store_pixel(out, r.out + i * s.out_pixel, &s, value);
        }
    }
}

/* A triangle around a position: its pixels, and what turns a distance into a weight. */
struct window {
    long centre;
    int first, last; /* behind the last */
};
static inline struct window window_of(struct axis a, int i) {
    const long size = max(max(a.step, -a.step), ONE); /* written as a choice, it is one that Oclgrind lacks */
    struct window w;
    w.centre = position_of(a, i);
    w.first = max((int)((w.centre - size + HALF) >> 40), a.low);
    w.last = min((int)((w.centre + size + HALF) >> 40), a.high);
    return w;
}
static inline float slope_of(struct axis a) {
    return 1.0f / (float)max(max(a.step, -a.step), ONE);
}
static inline float weight_of(struct window w, int pixel, float slope) {
    return fmax(1.0f - fabs((float)(pixel * ONE + HALF - w.centre)) * slope, 0.0f);
}

/* Pixels first … last - 1 of an output pixel's window, straight from the image: for windows wider than the buffer. */
static inline float4 filter_straight(__global const uchar* in, const struct preprocess_shape* s, long at,
                                     struct window y, float y_slope, struct window x, float x_slope) {
    float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    for (int j = y.first; j < y.last; j++) {
        float4 across = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
        for (int k = x.first; k < x.last; k++)
            across += weight_of(x, k, x_slope) *
                      load_pixel(in, at + j * s->in_row + k * s->in_pixel, s->in_channel, s->channels);
        sum += weight_of(y, j, y_slope) * across;
    }
    return sum;
}

/* First down the columns into the buffer, neighbours together; then across it. */
__kernel void preprocess_filter(__global storage_t* out, const long out_at, __global const uchar* in, const long in_at,
                                __global const float* boxes, const long boxes_at, __global const int* images,
                                const long images_at, __global const uchar* flip, const long flip_at,
                                const struct preprocess_shape s) {
    __local float line[LINE + 4]; /* float4 may reach beyond the last pixel */
    const long begin = (long)get_group_id(0) * s.units_per_group;
    const long end = min(begin + s.units_per_group, s.units);
    const int room = LINE / s.channels; /* pixels */
    for (long unit = begin; unit < end; unit++) {
        const struct row r = row_of(&s, unit, out_at, in_at, boxes + boxes_at, images + images_at, flip + flip_at);
        if (r.missing) {
            store_missing(out, &s, r.out);
            continue;
        }
        const struct window y = window_of(r.y, r.number);
        const float y_slope = slope_of(r.y), x_slope = slope_of(r.x);
        float y_total = 0.0f;
        for (int j = y.first; j < y.last; j++)
            y_total += weight_of(y, j, y_slope);
        /* Output columns whose windows fit into the buffer together: all, or as many as are sure to. */
        const long step = max(r.x.step, -r.x.step);
        int together = s.out_columns;
        if (r.x.high - r.x.low > room) {
            const long left = (room - 2) * ONE - 2 * max(step, ONE);
            together = left < 0 ? 0 : step == 0 ? s.out_columns : (int)min(left / step + 1, (long)s.out_columns);
        }
        if (together == 0) {
            for (int i = LOCAL_ID; i < s.out_columns; i += LOCAL_SIZE) {
                const struct window x = window_of(r.x, r.flip ? s.out_columns - 1 - i : i);
                float x_total = 0.0f;
                for (int k = x.first; k < x.last; k++)
                    x_total += weight_of(x, k, x_slope);
                const float4 sum = filter_straight(in, &s, r.in, y, y_slope, x, x_slope);
                store_pixel(out, r.out + i * s.out_pixel, &s, sum * (1.0f / (y_total * x_total)));
            }
            continue;
        }
        for (int i0 = 0; i0 < s.out_columns; i0 += together) {
            const int i1 = min(i0 + together, s.out_columns); /* numbers of columns before they are flipped */
            const struct window one = window_of(r.x, i0), other = window_of(r.x, i1 - 1);
            const int first = min(one.first, other.first), last = max(one.last, other.last);
            const int floats = (last - first) * s.channels;
            for (int j = y.first; j < y.last; j++) {
                const float weight = weight_of(y, j, y_slope) / y_total;
                const long at = r.in + j * s.in_row + first * s.in_pixel;
                if (s.packed) {
                    for (int k = LOCAL_ID * VW; k < floats; k += LOCAL_SIZE * VW) {
                        if (k + VW <= floats) {
                            const ucharv bytes = vload_v(in + at + k);
                            const floatv term = weight * to_floatv(bytes);
                            vstore_v(j == y.first ? term : vload_v(line + k) + term, line + k);
                        } else {
                            for (int l = k; l < floats; l++)
                                line[l] = (j == y.first ? 0.0f : line[l]) + weight * (float)in[at + l];
                        }
                    }
                } else {
                    for (int k = LOCAL_ID; k < last - first; k += LOCAL_SIZE)
                        for (int c = 0; c < s.channels; c++) {
                            const int l = k * s.channels + c;
                            const float term = weight * (float)in[at + k * s.in_pixel + c * s.in_channel];
                            line[l] = (j == y.first ? 0.0f : line[l]) + term;
                        }
                }
            }
            group_barrier();
            for (int i = i0 + LOCAL_ID; i < i1; i += LOCAL_SIZE) {
                const struct window x = window_of(r.x, i);
                float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
                float x_total = 0.0f;
                for (int k = x.first; k < x.last; k++) {
                    const float weight = weight_of(x, k, x_slope);
                    x_total += weight;
                    sum += weight * vload4(0, line + (k - first) * s.channels);
                }
                const int to = r.flip ? s.out_columns - 1 - i : i;
                store_pixel(out, r.out + to * s.out_pixel, &s, sum * (1.0f / x_total));
            }
            group_barrier();
        }
    }
}
