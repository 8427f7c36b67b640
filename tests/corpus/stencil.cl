// A guarded 2-D stencil: the sum of the neighbours that there are.
// run: stencil global=4x3
// arg: buf:f32:12:iota
// arg: buf:f32:12
// arg: i32:4
// arg: i32:3
// expect out: 5 7 10 9 13 20 24 20 13 23 26 17
__kernel void stencil(__global const float* in, __global float* out, const int w, const int h) {
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x > 0) sum += in[y * w + x - 1];
    if (x < w - 1) sum += in[y * w + x + 1];
    if (y > 0) sum += in[(y - 1) * w + x];
    if (y < h - 1) sum += in[(y + 1) * w + x];
    out[y * w + x] = sum;
}
