// error: 4:14: 'convert_int_up' is no function of this program and no built-in of OpenCL C 1.2
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = convert_int_up(in[i]);
}
