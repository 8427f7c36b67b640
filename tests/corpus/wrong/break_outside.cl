// error: 4:16: 'break' outside of a loop or switch
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    if (i > 3) break;
}
