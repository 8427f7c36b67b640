// error: 3:15: a kernel cannot be called 'main'
// advice: Choose another name.
__kernel void main(__global float* out) {
    out[0] = 1;
}
