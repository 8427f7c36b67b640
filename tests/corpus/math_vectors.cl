// Mathematical functions by component, with scalars for the second argument where OpenCL has that.
// not on the stand-in: it does not know functions in PTX
// run: vectors global=1
// arg: buf:f32:36
// expect out ~2e-6: 1 2 3 4 2 2 3 4 1 2 2 2 1 2 3 4 0.5 1 2 4 0 1 4 0 1 8 27 64 2 4 8 16 0 0 1 1
__kernel void vectors(__global float* out) {
    const float4 v = (float4)(1, 2, 3, 4);
    vstore4(sqrt(v * v), 0, out);
    vstore4(fmax(v, 2.0f), 1, out);
    vstore4(fmin(v, 2.0f), 2, out);
    vstore4(exp(log(v)), 3, out);
    vstore4(ldexp((float4)(1), (int4)(-1, 0, 1, 2)), 4, out);
    vstore3(floor((float3)(0.5f, 1.5f, 4.5f)), 0, out + 20);
    out[23] = 0;
    vstore4(pown(v, (int4)(3)), 6, out);
    vstore4(ldexp(v.xxxx, (int4)(1, 2, 3, 4)), 7, out);
    const float8 w = step(2.5f, (float8)(1, 2, 3, 4, 5, 6, 7, 8));
    vstore4(w.lo, 8, out);
}
