// A __constant parameter: a table that the launch gives, passed on to a function.
// run: lookup global=6
// arg: buf:f32:3:iota
// arg: buf:f32:6
// expect out: 0.5 1.5 2.5 0.5 1.5 2.5
float entry(__constant const float* table, int i) { return table[i] + 0.5f; }
__kernel void lookup(__constant float* table, __global float* out) {
    out[get_global_id(0)] = entry(table, get_global_id(0) % 3);
}
