// error: 4:11: what '=' writes is constant: its type is 'const float'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    in[i] = 1;
}
