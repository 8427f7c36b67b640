// error: 5:11: a work-item of kernel 'k' would need 400020 bytes of private memory, 400000 of them for 'table';
// advice: Make it smaller, share it in __local memory, or pass a __global buffer with a part for each work-item.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float table[100000];
    out[i] = table[i];
}
