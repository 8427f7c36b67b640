// Geometric functions on scalars and vectors of 2, 3 and 4.
// run: geometric global=1
// arg: buf:f32:22
// expect out ~2e-6: 32 5 5 3 -3 6 -3 0 0.6 0.8 5 2 0.6 0.8 5 1 -1 0 0 0 7 1
__kernel void geometric(__global float* out) {
    const float3 a = (float3)(1, 2, 3), b = (float3)(4, 5, 6);
    const float2 c = (float2)(3, 4);
    out[0] = dot(a, b); out[1] = length(c); out[2] = distance((float2)(1, 1), (float2)(4, 5)); out[3] = dot(1.5f, 2.0f);
    vstore3(cross(a, b), 0, out + 4);
    out[7] = 0;
    vstore2(normalize(c), 4, out);
    out[10] = fast_length(c); out[11] = fast_distance(1.0f, 3.0f);
    vstore2(fast_normalize(c), 6, out);
    out[14] = length((float4)(1, 2, 2, 4)); out[15] = length(normalize(b));
    const float4 d = cross((float4)(0, 0, 1, 9), (float4)(0, 1, 0, 9));
    vstore4(d, 4, out);
    out[20] = length(-7.0f); out[21] = normalize(5.0f);
}
