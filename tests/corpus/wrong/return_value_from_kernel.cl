// error: 4:12: 'k' returns nothing; write 'return;'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    return in[i];
}
