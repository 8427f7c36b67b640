// error: 4:14: 'std::' is of C++; OpenCL C's functions are called by their names alone
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = std::sqrt(in[i]);
}
