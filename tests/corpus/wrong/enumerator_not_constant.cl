// error: 4:20: an enumerator must be an integer constant: 'i' is not an integer constant
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    enum { first = i };
    out[i] = first;
}
