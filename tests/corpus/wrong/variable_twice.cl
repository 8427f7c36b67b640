// error: 5:9: 'x' is declared twice; the first time in line 4
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float x = in[i];
    int x = i;
}
