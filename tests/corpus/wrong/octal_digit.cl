// error: 4:14: '089' is not a number that OpenCL C knows
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = 089;
}
