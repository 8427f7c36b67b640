#include "included.h"
#include <included.h>
#define CAT(a, b) a##b
#define TEXT(x) #x
#define MANY(first, ...) first + CAT(0, __VA_ARGS__)
#if defined(TWICE) && (1 << 3) == 8 && !defined AGAIN
#error the second time changes it
#elif __OPENCL_VERSION__ >= 120 ? 1 : 0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define LINE __LINE__
#else
#undef TWICE
#endif
kernel void CAT(ker, nel_1)(global int* out, \
                            included_t value) {
    out[0] = TWICE(LINE) + MANY(1, 7) + 'a' + 0x1fu;
}
