// error: 5:14: 'scale' is not declared
#define SCALED(x) ((x) * scale)
__kernel void k(__global float* out) {
    const int i = get_global_id(0);
    out[i] = SCALED(out[i]);
}
