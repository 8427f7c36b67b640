// error: 4:17: there is no label 'done' in 'k'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    if (i) goto done;
    out[i] = 1;
}
