// error: 4:5: unknown type name 'float5' (did you mean 'float'?)
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float5 v = 0;
}
