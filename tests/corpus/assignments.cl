// Every assignment operator, ++ and --, before and after, and the comma.
// run: assignments global=1
// arg: buf:i32:16
// arg: i32:10
// expect out: 13 8 30 3 1 40 2 2 11 9 10 11 10 9 33 5
__kernel void assignments(__global int* out, const int ten) {
    int a;
    a = ten; a += 3; out[0] = a;
    a = ten; a -= 2; out[1] = a;
    a = ten; a *= 3; out[2] = a;
    a = ten; a /= 3; out[3] = a;
    a = ten; a %= 3; out[4] = a;
    a = ten; a <<= 2; out[5] = a;
    a = ten; a >>= 2; out[6] = a;
    a = ten; a &= 6; out[7] = a;
    a = ten; a |= 1; out[8] = a;
    a = ten; a ^= 3; out[9] = a;
    a = ten; out[10] = a++; out[11] = a--; out[12] = a; out[13] = --a;
    int b, c;
    a = b = c = 11; out[14] = a + b + c;
    out[15] = (a = 2, b = 3, a + b);
}
