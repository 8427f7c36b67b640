// error: 3:43: parameter 'h' of kernel 'k' cannot have type 'half'
// advice: Its size differs between hosts and devices: use int, float or a pointer.
__kernel void k(__global float* out, half h) {
    out[0] = 1;
}
