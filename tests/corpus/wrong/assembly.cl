// error: 4:5: assembly is not supported in a portable kernel
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    asm("nop");
}
