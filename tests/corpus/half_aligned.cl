// The aligned forms of half vectors: three take the room of four.
// run: aligned global=1
// arg: buf:f32:8
// arg: buf:u16:12
// expect out: 1 2 3 5 6 7 8 2
// expect raw: 0x3c00 0x4000 0x4200 0 0x4500 0x4600 0x4700 0x4800 0x3c00 0x4000 0 0
__kernel void aligned(__global float* out, __global half* raw) {
    vstorea_half3((float3)(1, 2, 3), 0, raw);
    vstorea_half4_rtz((float4)(5, 6, 7, 8), 1, raw);
    vstorea_half2((float2)(1, 2), 4, raw);
    vstore3(vloada_half3(0, raw), 0, out);
    vstore4(vloada_half4(1, raw), 0, out + 3);
    out[7] = vloada_half2(4, raw).y;
}
