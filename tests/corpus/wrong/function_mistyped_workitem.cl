// error: 3:19: 'get_gobal_id' is no function of this program and no built-in of OpenCL C 1.2 (did you mean
__kernel void k(__global float* out) {
    const int i = get_gobal_id(0);
    out[i] = i;
}
