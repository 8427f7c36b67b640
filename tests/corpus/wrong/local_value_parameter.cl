// error: 3:52: parameter 't' is a value and lies in no such memory
// advice: Pass a pointer, or leave the word out.
__kernel void k(__global float* out, __local float t) {
    out[0] = t;
}
