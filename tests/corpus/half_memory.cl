// half in memory: loads, and stores with each rounding.
// run: halves global=1
// arg: buf:f32:10
// arg: buf:u16:16
// expect out: 0.0999755859 1 65504 1.1920929e-07 0 3 4 5 1 2
// expect raw: 0x2e66 0x2e66 0x2e66 0x2e67 0x3c00 0x7bff 2 0x8000 0x2e66 0x3266 0xb4cd 0 0x4200 0x4400 0x4500 0
__kernel void halves(__global float* out, __global half* raw) {
    vstore_half(0.1f, 0, raw); vstore_half_rtz(0.1f, 1, raw); vstore_half_rtn(0.1f, 2, raw);
    vstore_half_rtp(0.1f, 3, raw);
    vstore_half4_rte((float4)(1.0f, 65504.0f, 1e-7f, -0.0f), 1, raw);
    vstore_half3_rtz((float3)(0.1f, 0.2f, -0.3f), 0, raw + 8);
    ((__global ushort*)raw)[10] += 1;      // rtz gives 0xb4cc
    vstore_half3((float3)(3, 4, 5), 4, raw);
    out[0] = vload_half(0, raw);
    vstore4(vload_half4(1, raw), 0, out + 1);
    vstore3(vload_half3(4, raw), 0, out + 5);
    out[8] = vload_half2(2, raw).x; out[9] = vload_half2(6, raw).x - 1;
}
