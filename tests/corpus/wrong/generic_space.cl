// error: 4:5: generic pointers are of OpenCL C 2; write __global, __local or __constant
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    __generic float* p = out;
    out[i] = *p;
}
