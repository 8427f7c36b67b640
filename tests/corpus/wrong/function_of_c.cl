// error: 4:14: 'sqrtf' is no function of this program and no built-in of OpenCL C 1.2 (did you mean 'sqrt'?)
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = sqrtf(in[i]);
}
