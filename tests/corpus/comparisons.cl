// Comparisons of scalars give 1 or 0; with NaN all but != are false.
// run: comparisons global=1
// arg: buf:i32:14
// arg: i32:3
// arg: f32:nan
// expect out: 1 0 1 0 1 0 0 0 1 0 0 1 1 2
__kernel void comparisons(__global int* out, const int n, const float x) {
    out[0] = n < 4; out[1] = n > 4; out[2] = n <= 3; out[3] = n >= 4; out[4] = n == 3; out[5] = n != 3;
    out[6] = x == x; out[7] = x < 1.0f; out[8] = x != x; out[9] = x > 1.0f; out[10] = x <= 1.0f;
    out[11] = 0.0f == -0.0f; out[12] = 5 > 4 > 0; out[13] = (n == 3) + (n < 4);
}
