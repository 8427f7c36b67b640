// error: 4:15: expected a value after '='
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float x = ;
    out[i] = x;
}
