// error: 3:43: parameter 'on' of kernel 'k' cannot have type 'bool'
// advice: Its size differs between hosts and devices: use int, float or a pointer.
__kernel void k(__global float* out, bool on) {
    out[0] = on;
}
