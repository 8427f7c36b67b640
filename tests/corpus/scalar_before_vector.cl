// A scalar as the first argument stands for all lanes where a later one is a vector.
// run: lanes global=1
// arg: buf:f32:11
// expect out: 0 2 8 2 3 1 5 3 0 2 3
__kernel void lanes(__global float* out) {
    float4 v = (float4)(-1.0f, 2.0f, 3.0f, 1.0f);
    int4 n = (int4)(1, 5, 2, 0);
    float4 chosen = select(0.0f, v, v > 1.5f);
    out[0] = chosen.x; out[1] = chosen.y;
    out[2] = pow(2.0f, v).z;
    out[3] = max(1.5f, v).y;
    out[4] = fmax(0.5f, v).z;
    out[5] = fmin(1.0f, v).y;
    out[6] = max(3, n).y;
    out[7] = max(3, n).z;
    out[8] = step(2.5f, v).y;
    out[9] = mad(0.5f, v, 1.0f).y;
    out[10] = clamp(9, n, (int4)(3)).x;
}
