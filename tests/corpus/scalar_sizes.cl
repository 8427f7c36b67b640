// The size of each scalar type, and that of what integer promotion makes of the small ones.
// run: sizes global=1
// arg: buf:i32:16
// expect out: 1 1 2 2 4 4 8 8 4 4 4 4 8 8 1 4
__kernel void sizes(__global int* out) {
    char c = 1; uchar uc = 1; short s = 1; ushort us = 1;
    out[0] = sizeof(char); out[1] = sizeof(uchar); out[2] = sizeof(short); out[3] = sizeof(ushort);
    out[4] = sizeof(int); out[5] = sizeof(uint); out[6] = sizeof(long); out[7] = sizeof(ulong);
    out[8] = sizeof(float);
    out[9] = sizeof(c + c); out[10] = sizeof(-us); out[11] = sizeof(uc << s);
    out[12] = sizeof(1L); out[13] = sizeof(1UL + c); out[14] = c; out[15] = sizeof(1.0f * c) + uc + s + us - 3;
}
