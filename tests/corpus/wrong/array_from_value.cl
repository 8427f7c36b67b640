// error: 4:16: an array is initialised by values between '{' and '}'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    int a[2] = 5;
    out[i] = a[0];
}
