// Functions with a second result through a pointer: private, local and global.
// run: split global=1 local=1
// arg: buf:f32:14
// arg: buf:i32:3
// arg: f32:-2.75
// expect out ~2e-7: 0.25 -3 -0.75 -2 -0.6875 0.479425539 0.877582562 0.25 1 2 0.25 0.75 1 2
// expect n: 2 -3 1
__kernel void split(__global float* out, __global int* n, const float x) {
    float whole;
    out[0] = fract(x, &whole); out[1] = whole;
    out[2] = modf(x, &whole); out[3] = whole;
    int exponent;
    out[4] = frexp(x, &exponent); n[0] = exponent;
    out[5] = sincos(0.5f, &whole); out[6] = whole;
    int quotient;
    out[7] = remquo(x, 1.0f, &quotient); n[1] = -(-quotient & 7) ;
    out[8] = fract(2.25f, out + 9) * 4;
    __local float shared;
    out[10] = fract(1.25f, &shared); out[11] = shared - 0.25f;
    float2 parts;
    const float2 rest = modf((float2)(1.5f, 2.5f), &parts);
    out[12] = parts.x; out[13] = parts.y;
    n[2] = all(rest == (float2)(0.5f));
}
