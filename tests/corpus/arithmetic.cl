// Arithmetic on int: precedence, association, signs.
// run: arithmetic global=1
// arg: buf:i32:12
// arg: i32:7
// arg: i32:-3
// expect out: 4 10 -21 -2 1 1 -7 -5 5 34 2 3
__kernel void arithmetic(__global int* out, const int a, const int b) {
    out[0] = a + b; out[1] = a - b; out[2] = a * b;
    out[3] = a / b; out[4] = a % b;                 // towards zero; the remainder has a's sign
    out[5] = -a % b * -1; out[6] = -a; out[7] = a + b * 4;
    out[8] = a - b - 5; out[9] = (a - b) * b + 64; out[10] = 2 - -0; out[11] = 100 / 10 / 3;
}
