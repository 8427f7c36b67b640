// The CUDA target (NVRTC): what comes before everything else. No header is included; NVRTC knows its own functions.
#pragma nv_diag_suppress 186   // comparing an unsigned number with 0, in templates
#pragma nv_diag_suppress 177   // unused functions and variables
#pragma nv_diag_suppress 20012 // what the compiler makes by itself runs on the device
#define DEVQ_UNIT_BEGIN namespace devq_code {
#define DEVQ_UNIT_END }
#define DEVQ_FN static __device__ __forceinline__
#define DEVQ_INLINE __device__ __forceinline__
#define DEVQ_MEMBER __device__ __forceinline__
#define DEVQ_SEPARATE_MEMBER DEVQ_MEMBER // a call would move arrays and the sums of a tile to memory
#define DEVQ_CONSTANT static __constant__ const
#define DEVQ_INFINITY __builtin_bit_cast(float, 0x7f800000)
#define DEVQ_NAN __builtin_bit_cast(float, 0x7fc00000)
#define DEVQ_PRAGMA(text) _Pragma(#text)
#define DEVQ_UNROLL(n) DEVQ_PRAGMA(unroll n)
#define DEVQ_PROGRAM_BEGIN                                                                                             \
    struct devq_program {                                                                                              \
        devq_cuda_item devq_item;
#define DEVQ_PROGRAM_END                                                                                               \
    }                                                                                                                  \
    ;
#define DEVQ_LOCAL_MEMORY(type) __shared__ type devq_local
// The type of a parameter that takes the components of vectors of T, one by one.
#define DEVQ_LANES(T) T
// Local memory that comes as arguments: the kernel's entry shares it out.
extern __shared__ __align__(128) unsigned char devq_dynamic_memory[];
