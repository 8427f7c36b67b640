// Components by x, y, z, w: one, several, repeated, in any order.
// run: letters global=1
// arg: buf:f32:14
// expect out: 1 4 3 1 4 3 2 1 2 2 2 2 3 2
__kernel void letters(__global float* out) {
    const float4 v = (float4)(1, 2, 3, 4);
    out[0] = v.x; out[1] = v.w;
    vstore2(v.zx, 1, out);
    vstore4(v.wzyx, 1, out);
    vstore4(v.yyyy, 2, out);
    out[12] = v.xyz.z; out[13] = v.wzy.zx.x;
}
