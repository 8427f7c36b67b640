// error: 5:14: 'float4' does not become 'float' by itself
// advice: Choose a component, such as .x.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = (float4)(1);
}
