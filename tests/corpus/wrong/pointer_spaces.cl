// error: 5:16: this is an address in global memory, and what it is given to points to private memory
// advice: Declare the pointer as __global.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float* p = out + i;
    *p = 1;
}
