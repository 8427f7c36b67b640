// error: 4:20: 'x' cannot lie in global memory; only pointers can lead there
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    __global float x;
    out[i] = x;
}
