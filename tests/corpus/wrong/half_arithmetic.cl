// error: 5:10: 'h' cannot be half, which lives in memory only
// advice: Use float, vload_half and vstore_half.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    half h = in[i];
    out[i] = h;
}
