// error: 4:5: 'case' outside of switch
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    case 1: out[i] = 1;
}
