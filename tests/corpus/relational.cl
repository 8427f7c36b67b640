// Relational functions: scalars give 1, vectors -1 in each component; any and all look at the highest bits.
// run: relational global=1
// arg: buf:i32:36
// arg: f32:nan
// expect out: 1 0 1 0 1 0 0 1 1 1 0 1 0 1 1 0 1 0 1 1 0 1 1 0 -1 0 0 -1 0 -1 0 0 -1 -1 1 0
__kernel void relational(__global int* out, const float x) {
    out[0] = isnan(x); out[1] = isnan(1.0f); out[2] = isinf(INFINITY); out[3] = isinf(x);
    out[4] = isfinite(1.0f); out[5] = isfinite(INFINITY); out[6] = isnormal(0.0f); out[7] = isnormal(1.0f);
    out[8] = signbit(-0.0f); out[9] = isequal(1.0f, 1.0f); out[10] = isequal(x, x); out[11] = isnotequal(x, x);
    out[12] = isgreater(1.0f, 2.0f); out[13] = isgreaterequal(2.0f, 2.0f); out[14] = isless(1.0f, 2.0f);
    out[15] = islessequal(x, 2.0f); out[16] = islessgreater(1.0f, 2.0f); out[17] = islessgreater(x, 2.0f);
    out[18] = isordered(1.0f, 2.0f); out[19] = isunordered(x, 2.0f);
    out[20] = any((int2)(1, 2)); out[21] = any((int2)(0, -1)); out[22] = all((int2)(-1, -5));
    out[23] = all((int2)(-1, 1));
    vstore4(isnan((float4)(x, 1, 2, x)), 6, out);
    vstore4(isless((float4)(1, 2, 3, x), (float4)(0, 3, 3, 1)), 7, out);
    vstore2(signbit((float2)(-1, -0.0f)), 16, out);
    out[34] = any((char3)(0, 0, -1)); out[35] = all((short4)(-1, -1, -1, 0));
}
