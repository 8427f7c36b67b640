// error: 4:18: the number of an element must be an integer constant: 'i' is not an integer constant
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    int a[2] = {[i] = 1};
    out[i] = a[0];
}
