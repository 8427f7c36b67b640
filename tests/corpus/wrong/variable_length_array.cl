// error: 4:17: the size of an array must be an integer constant: 'i' is not an integer constant
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float table[i];
    out[i] = table[0];
}
