// Floating point constants: decimal, with exponents, hexadecimal, and the named ones.
// run: floats global=1
// arg: buf:f32:11
// expect out: 0.5 0.5 1500 0.0625 10 -0.25 3 1 inf nan 3.40282347e38
__kernel void floats(__global float* out) {
    out[0] = 0.5f; out[1] = .5f; out[2] = 1.5e3f; out[3] = 0x1p-4f; out[4] = 0x1.4p+3f; out[5] = -2.5E-1f; out[6] = 3.f;
    out[7] = 1; out[8] = INFINITY; out[9] = NAN; out[10] = MAXFLOAT;
}
