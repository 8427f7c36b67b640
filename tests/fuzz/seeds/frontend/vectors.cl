typedef struct { int3 size; float2 step; } shape_t;
constant float4 weights[2] = {(float4)(1.0f, 2.0f, 3.0f, 4.0f), (float4)(0.5f)};
float4 mixed(float4 a, int4 b) { return b ? a.wzyx : (float4)(a.lo, as_float2(b.hi)); }
__kernel void vectors(__global float4* v, shape_t shape, __constant float* table) {
    float4 a = v[get_global_id(0)];
    a.s02 += convert_float2(shape.size.xy) * shape.step;
    a.x = a.y > 0.0f ? native_exp(a.z) : fma(a.w, table[0], 1.0f);
    v[get_global_id(0)] = mixed(a + weights[1], convert_int4_rtz(a) << 3);
}
