// Common functions: clamp, mix, step, smoothstep, sign, degrees, radians, min, max.
// run: common global=1
// arg: buf:f32:20
// arg: f32:0.25
// expect out ~1e-6: 0.25 0.5 0 2.5 0 1 0.15625 0 1 -1 0 180 3.14159265 0.25 1 2.5 1 2 3 2
__kernel void common(__global float* out, const float x) {
    out[0] = clamp(x, 0.0f, 1.0f); out[1] = clamp(x, 0.5f, 1.0f); out[2] = clamp(-x, 0.0f, 1.0f);
    out[3] = mix(2.0f, 4.0f, x); out[4] = step(0.5f, x); out[5] = step(x, 0.5f);
    out[6] = smoothstep(0.0f, 1.0f, x); out[7] = smoothstep(0.5f, 1.0f, x); out[8] = smoothstep(0.0f, 0.2f, x);
    out[9] = sign(-x); out[10] = sign(0.0f * x); out[11] = degrees(M_PI_F); out[12] = radians(180.0f);
    out[13] = min(x, 1.0f); out[14] = max(x, 1.0f);
    const float2 v = mix((float2)(1, 2), (float2)(2, 4), 0.25f);
    out[15] = v.y;
    vstore3(clamp((float3)(0, 2, 9), 1.0f, 3.0f), 0, out + 16);
    out[19] = max((float2)(1, 2), 2.0f).x;
}
