/* Numbers to add up: floats whatever T stores, or i32 (WHOLE is 1) modulo 2^32, of which T knows nothing. */

#if WHOLE
typedef int element_t;
typedef uint number_t;
typedef uintv numberv;
static inline number_t load_number(__global const int* p, long i) { return as_uint(p[i]); }
static inline void store_number(__global int* p, long i, number_t x) { p[i] = as_int(x); }
static inline numberv load_number_any(__global const int* p, long i, long stride, int count) {
    uint lanes[VW];
    if (stride == 1 && count >= VW)
        return as_uintv(vload_v(p + i));
    for (int j = 0; j < VW; j++)
        lanes[j] = j < count ? as_uint(p[i + j * stride]) : 0;
    return vload_v(lanes);
}
static inline void store_number_any(__global int* p, long i, long stride, int count, numberv x) {
    uint lanes[VW];
    vstore_v(x, lanes);
    for (int j = 0; j < VW; j++)
        if (j < count)
            p[i + j * stride] = as_int(lanes[j]);
}
#else
typedef storage_t element_t;
typedef float number_t;
typedef floatv numberv;
#define load_number load
#define store_number store
#define load_number_any(p, i, stride, count) load_any(p, i, stride, count, 0.0f)
#define store_number_any store_any
#endif
