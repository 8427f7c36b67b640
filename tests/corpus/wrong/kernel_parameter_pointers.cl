// error: 3:34: parameter 'out' of kernel 'k' is a pointer to pointers, which no host can fill in
// advice: Pass one buffer and offsets into it.
__kernel void k(__global float** out) {
    out[0][0] = 1;
}
