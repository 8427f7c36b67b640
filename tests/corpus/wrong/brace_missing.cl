// error: 2:38: this '{' is never closed
__kernel void k(__global float* out) {
    if (get_global_id(0) == 0) {
        out[0] = 1;
}
