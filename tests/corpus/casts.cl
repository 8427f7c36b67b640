// Casts of scalars, and of a scalar to a vector.
// run: cast global=1
// arg: buf:i32:10
// arg: f32:3.99
// expect out: 3 -3 44 -1 65535 3 3 1 2 0
__kernel void cast(__global int* out, const float x) {
    out[0] = (int)x; out[1] = (int)-x; out[2] = (uchar)300; out[3] = (short)65535; out[4] = (ushort)-1;
    const int2 v = (int2)(int)x; out[5] = v.x; out[6] = v.y;
    out[7] = (bool)0.5f; out[8] = (int)(x / 2 + 0.01f); out[9] = (int)(char)256;
}
