// error: 4:16: variables of functions cannot be static
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    static int calls = 0;
    out[i] = calls++;
}
