// error: 4:26: constant 'x' cannot depend on 'in', which is known only when the kernel runs
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    __constant float x = in[i];
    out[i] = x;
}
