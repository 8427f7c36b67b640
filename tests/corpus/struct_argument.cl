// A struct by value: {int count; float scale; short steps[2]; float4 offset} as bytes, 16 aligned.
// run: argument global=4
// arg: buf:f32:4
// arg: hex:050000000000004003000700000000000000803f000000400000404000008040
// expect out: 11 22 33 35
struct shape { int count; float scale; short steps[2]; float4 offset; };
__kernel void argument(__global float* out, const struct shape s) {
    const int i = get_global_id(0);
    if (i == 0) out[0] = s.count * s.scale + s.offset.x;                      // 10 + 1
    if (i == 1) out[1] = s.steps[0] * s.steps[1] + s.offset.x;                // 21 + 1
    if (i == 2) out[2] = s.offset.w * s.offset.w * s.scale + s.offset.x;      // 32 + 1
    if (i == 3) out[3] = sizeof(struct shape) + s.offset.z;                   // 32 + 3
}
