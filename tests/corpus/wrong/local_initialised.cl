// error: 5:19: 't' lies in local memory and cannot have an initialiser
// advice: Let one work-item store the value, then use a barrier.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    __local float t[2] = {1, 2};
    out[i] = t[0];
}
