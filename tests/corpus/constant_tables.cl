// __constant at program scope and in a function: scalars, arrays, vectors, structs, arithmetic, INFINITY.
// run: tables global=4
// arg: buf:f32:4
// expect out: 13.5 inf 9 46
__constant float pace = 1.0f / 2;
__constant float weights[] = {0.5f, 1.0f, 2.0f, INFINITY};
__constant int4 corner[] = {(int4)(1, 2, 3, 4), (int4)(5)};
struct nested { char tag; struct { short a; float3 b; } in[2]; };
__constant struct nested fixed = {3, {{1, (float3)(1, 2, 3)}, {2, (float3)(4)}}};
__constant int sizes[2][2] = {{1, 2}, {3, 4}};
__constant int plain = 7;
float at(__constant float* table, int i) { return table[i]; }
__kernel void tables(__global float* out) {
    __constant int own[3] = {10, 20, 30};
    const int i = get_global_id(0);
    if (i == 0) out[0] = pace + weights[1] + corner[1].w + plain;
    if (i == 1) out[1] = at(weights, 3);
    if (i == 2) out[2] = fixed.in[1].b.y + fixed.tag + fixed.in[0].a * fixed.in[1].a;
    if (i == 3) out[3] = own[2] + own[1] * pace + sizes[1][1] + weights[2];
}
