// Conditions: #if with arithmetic, defined, #ifdef, #elif, nested; values from the build's options; #pragma.
// define: LIMIT=12
// define: FLAG
// run: conditions global=1
// arg: buf:i32:5
// expect out: 1 2 3 4 12
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#if LIMIT > 10 && defined(FLAG) && !defined NOTHING
#define A 1
#else
#error this part is skipped
#endif
#ifdef NOTHING
#define B 1
#elif (LIMIT / 4 == 3) ? 1 : 0
#define B 2
#else
#define B 3
#endif
#ifndef NOTHING
#if UNKNOWN
#define C 1
#else
#define C 3
#endif
#endif
__kernel void conditions(__global int* out) {
    out[0] = A; out[1] = B; out[2] = C;
#if 0
    this is no program
#endif
    out[3] = FLAG + 3; out[4] = LIMIT;
}
