// error: 4:5: unknown type name 'flaot' (did you mean 'float'?)
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    flaot x = in[i];
}
