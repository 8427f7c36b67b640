// error: 6:5: 'else' without 'if'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    if (i > 3) out[i] = 1;
    out[i] = 2;
    else out[i] = 3;
}
