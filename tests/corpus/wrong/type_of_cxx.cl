// error: 4:5: 'auto' chooses no type in C; write the type of 'x'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    auto x = in[i];
}
