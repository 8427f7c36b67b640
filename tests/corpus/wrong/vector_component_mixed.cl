// error: 6:16: 'xs1' selects nothing of a vector of 4
// advice: Components are .x .y .z .w, .s0 to .sf, .lo .hi .even .odd.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 v = vload4(i, in);
    out[i] = v.xs1.x;
}
