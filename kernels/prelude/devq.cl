/* Shared by every kernel of devq's own. Constants of a shape (kernels/variants) come as macros:
 *   T      storage type of tensors: f32, f16 or bf16; arithmetic is always float
 *   VW     floats in a vector: 16, 8, 4 or 1
 *   GROUP  work-items in the largest group that may be launched: 1 on CPUs, where barriers vanish; a power of two
 * Names that end in _v work on vectors of VW. Buffers are a pointer and an element offset of their own. */

#define f32 1
#define f16 2
#define bf16 3

#ifndef T
#define T f32
#endif
#ifndef VW
#define VW 1
#endif
#ifndef GROUP
#define GROUP 256
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if VW == 1
typedef float floatv;
typedef int intv;
typedef uint uintv;
typedef ushort ushortv;
#define as_floatv as_float
#define as_intv as_int
#define as_uintv as_uint
#define to_uintv convert_uint
#define to_ushortv convert_ushort
#define to_floatv convert_float
#define vload_v(p) (*(p))
#define vstore_v(v, p) (*(p) = (v))
#define vload_half_v(p) vload_half(0, p)
#define vstore_half_v(v, p) vstore_half_rte(v, 0, p)
#else
typedef JOIN(float, VW) floatv;
typedef JOIN(int, VW) intv;
typedef JOIN(uint, VW) uintv;
typedef JOIN(ushort, VW) ushortv;
#define as_floatv JOIN(as_float, VW)
#define as_intv JOIN(as_int, VW)
#define as_uintv JOIN(as_uint, VW)
#define to_uintv JOIN(convert_uint, VW)
#define to_ushortv JOIN(convert_ushort, VW)
#define to_floatv JOIN(convert_float, VW)
#define vload_v(p) JOIN(vload, VW)(0, p)
#define vstore_v(v, p) JOIN(vstore, VW)(v, 0, p)
#define vload_half_v(p) JOIN(vload_half, VW)(0, p)
#define vstore_half_v(v, p) JOIN(JOIN(vstore_half, VW), _rte)(v, 0, p)
#endif

/* ---- Storage: one element or VW neighbours, widened to float and rounded to nearest even on the way back ---- */

static inline float load_f32(__global const float* p, long i) { return p[i]; }
static inline floatv load_f32_v(__global const float* p, long i) { return vload_v(p + i); }
static inline void store_f32(__global float* p, long i, float x) { p[i] = x; }
static inline void store_f32_v(__global float* p, long i, floatv x) { vstore_v(x, p + i); }

static inline float load_f16(__global const half* p, long i) { return vload_half(0, p + i); }
/* Vectors of halves go by way of a vector of their bits: PoCL 3.1 takes vload_halfN and vstore_halfN for aligned. */
static inline floatv load_f16_v(__global const half* p, long i) {
    const ushortv bits = vload_v((__global const ushort*)p + i);
    return vload_half_v((const half*)&bits);
}
static inline void store_f16(__global half* p, long i, float x) { vstore_half_rte(x, 0, p + i); }
static inline void store_f16_v(__global half* p, long i, floatv x) {
    ushortv bits;
    vstore_half_v(x, (half*)&bits);
    vstore_v(bits, (__global ushort*)p + i);
}

static inline uint round_bf16(uint bits) {
    const uint rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    /* a carry must not turn a NaN into infinity */
    return (bits & 0x7fffffffu) > 0x7f800000u ? (bits | 0x00400000u) >> 16 : rounded >> 16;
}
static inline uintv round_bf16_v(uintv bits) {
    const uintv rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    return select(rounded, bits | 0x00400000u, (bits & 0x7fffffffu) > 0x7f800000u) >> 16;
}
static inline float load_bf16(__global const ushort* p, long i) { return as_float((uint)p[i] << 16); }
static inline floatv load_bf16_v(__global const ushort* p, long i) { return as_floatv(to_uintv(vload_v(p + i)) << 16); }
static inline void store_bf16(__global ushort* p, long i, float x) { p[i] = (ushort)round_bf16(as_uint(x)); }
static inline void store_bf16_v(__global ushort* p, long i, floatv x) {
    vstore_v(to_ushortv(round_bf16_v(as_uintv(x))), p + i);
}

#if T == f32
typedef float storage_t;
#define load load_f32
#define load_v load_f32_v
#define store store_f32
#define store_v store_f32_v
#elif T == f16
typedef half storage_t;
#define load load_f16
#define load_v load_f16_v
#define store store_f16
#define store_v store_f16_v
#else
typedef ushort storage_t;
#define load load_bf16
#define load_v load_bf16_v
#define store store_bf16
#define store_v store_bf16_v
#endif

/* The same at any stride, `count` of VW elements; lanes beyond get `other` and touch no memory. */
static inline floatv load_some(__global const storage_t* p, long i, long stride, int count, float other) {
    float lanes[VW];
    for (int j = 0; j < VW; j++)
        lanes[j] = j < count ? load(p, i + j * stride) : other;
    return vload_v(lanes);
}
static inline void store_some(__global storage_t* p, long i, long stride, int count, floatv x) {
    float lanes[VW];
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++)
        if (j < count)
            store(p, i + j * stride, lanes[j]);
}
/* Whole vectors where the elements are neighbours and all VW are there. */
static inline floatv load_any(__global const storage_t* p, long i, long stride, int count, float other) {
    if (stride == 1 && count >= VW)
        return load_v(p, i);
    return load_some(p, i, stride, count, other);
}
static inline void store_any(__global storage_t* p, long i, long stride, int count, floatv x) {
    if (stride == 1 && count >= VW)
        store_v(p, i, x);
    else
        store_some(p, i, stride, count, x);
}

/* On CPUs: asks the caches for what will be read soon. */
#if GROUP == 1 && defined(__x86_64__) /* a driver's clang: PoCL's own prefetch() does nothing */
#define ask_ahead(p) __builtin_prefetch((const void*)(ulong)(p))
#elif GROUP == 1
#define ask_ahead(p) prefetch((__global const char*)(p), 1)
#else
#define ask_ahead(p)
#endif

/* ---- Arithmetic ---- */

#define broadcast_v(x) ((floatv)(x))
/* NaN in either operand gives NaN (fmax and fmin drop it); works on scalars and vectors alike. */
#define max_nan(a, b) select(b, a, ((a) > (b)) | ((a) != (a)))
#define min_nan(a, b) select(b, a, ((a) < (b)) | ((a) != (a)))

#if VW == 16
static inline float sum_lanes(floatv x) {
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    const float2 c = b.lo + b.hi;
    return c.x + c.y;
}
static inline float max_lanes(floatv x) {
    const float8 a = max_nan(x.lo, x.hi);
    const float4 b = max_nan(a.lo, a.hi);
    const float2 c = max_nan(b.lo, b.hi);
    return max_nan(c.x, c.y);
}
#elif VW == 8
static inline float sum_lanes(floatv x) {
    const float4 b = x.lo + x.hi;
    const float2 c = b.lo + b.hi;
    return c.x + c.y;
}
static inline float max_lanes(floatv x) {
    const float4 b = max_nan(x.lo, x.hi);
    const float2 c = max_nan(b.lo, b.hi);
    return max_nan(c.x, c.y);
}
#elif VW == 4
static inline float sum_lanes(floatv x) {
    const float2 c = x.lo + x.hi;
    return c.x + c.y;
}
static inline float max_lanes(floatv x) {
    const float2 c = max_nan(x.lo, x.hi);
    return max_nan(c.x, c.y);
}
#else
#define sum_lanes(x) (x)
#define max_lanes(x) (x)
#endif

/* ---- The group. Everyone takes part; SCRATCH declares one element a work-item of local memory for it. ---- */

#if GROUP == 1
#define LOCAL_ID 0
#define LOCAL_SIZE 1
#define SCRATCH(type, name)
#define group_barrier()
#define group_sum(x, scratch) (x)
#define group_max(x, scratch) (x)
#else
#define LOCAL_ID ((int)get_local_id(0))
#define LOCAL_SIZE ((int)get_local_size(0))
#define SCRATCH(type, name) __local type name[GROUP]
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE)
static inline float group_sum(float x, __local float* scratch) {
    const int id = LOCAL_ID;
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = LOCAL_SIZE / 2; half_size > 0; half_size /= 2) {
        if (id < half_size)
            scratch[id] += scratch[id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* before anyone writes scratch again */
    return x;
}
static inline float group_max(float x, __local float* scratch) {
    const int id = LOCAL_ID;
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = LOCAL_SIZE / 2; half_size > 0; half_size /= 2) {
        if (id < half_size) {
            const float other = scratch[id + half_size];
            scratch[id] = max_nan(scratch[id], other);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return x;
}
#endif

/* ---- Tables: sizes and strides of an argument, which a kernel indexes by a variable ---- */

/* TABLES(type, name, argument, rank) makes `name` a pointer, into table_space, to a copy of `argument` that may be
 * indexed so; valid where rank > 0. A GPU keeps arguments in scalar registers: what is indexed by a variable would go
 * to slow private memory, and all of it, indexed by numbers, takes more registers than there are. So the group has a
 * copy. */
#if GROUP == 1
#define table_space
#define TABLES(type, name, argument, rank) const type* const name = &(argument)
#else
#define table_space __local
#define TABLES(type, name, argument, rank)                                                                             \
    __local type name##_copy[1];                                                                                       \
    __local const type* const name = name##_copy;                                                                      \
    if ((rank) > 0) {                                                                                                  \
        if (LOCAL_ID == 0)                                                                                             \
            name##_copy[0] = (argument);                                                                               \
        group_barrier();                                                                                               \
    }
#endif
