// Sizes of vectors: three components take the room of four; vec_step says as much.
// run: sizes global=1
// arg: buf:i32:12
// expect out: 2 4 16 16 32 64 128 3 1 2 4 16
__kernel void sizes(__global int* out) {
    const float2 d = (float2)(0);
    out[0] = sizeof(char2); out[1] = sizeof(uchar3); out[2] = sizeof(int3); out[3] = sizeof(float4);
    out[4] = sizeof(long4); out[5] = sizeof(float16); out[6] = sizeof(ulong16);
    out[7] = 3; out[8] = vec_step(int); out[9] = vec_step(d); out[10] = vec_step(float3); out[11] = vec_step(uchar16);
}
