// error: 4:21: strings are not supported but in printf and as what an array of characters begins with
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const char* s = "abc";
    out[i] = s[0];
}
