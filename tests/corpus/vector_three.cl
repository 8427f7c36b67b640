// Vectors of three: four in memory, three through vload3 and vstore3.
// run: three global=2
// arg: buf:f32:8:iota
// arg: buf:f32:8
// expect in: 0 1 2 3 4 5 6 7
// expect out: 2 3 1 0 6 7 5 0
__kernel void three(__global float3* in, __global float3* out) {
    const int i = get_global_id(0);
    const float3 v = in[i];
    float3 r = v.yzx;
    r.xyz += 1;
    ((__global float*)out)[4 * i + 0] = r.x;
    ((__global float*)out)[4 * i + 1] = r.y;
    ((__global float*)out)[4 * i + 2] = r.z;
}

// run: packed global=2
// arg: buf:f32:6:iota
// arg: buf:f32:6
// expect b: 0 2 4 6 8 10
__kernel void packed(__global const float* a, __global float* b) {
    vstore3(vload3(get_global_id(0), a) * 2, get_global_id(0), b);
}
