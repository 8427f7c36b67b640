// error: 4:10: blocks are not supported; use a function
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    void (^b)(void) = ^{ out[0] = 1; };
    b();
}
