// error: 4:5: this printf needs 2 values after its format, 1 given
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    printf("%f %f\n", in[i]);
}
