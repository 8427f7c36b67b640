// Integer and character constants.
// run: integers global=1
// arg: buf:i64:20
// expect out: 255 8 10 4294967295 -1 65 10 0 39 92 65 9 2147483648 9223372036854775807 34 7 -1 -1 -128 2
__kernel void integers(__global long* out) {
    out[0] = 0xff; out[1] = 010; out[2] = 10; out[3] = 0xffffffff; out[4] = (long)0xfffffffffffffffful;
    out[5] = 'A'; out[6] = '\n'; out[7] = '\0'; out[8] = '\''; out[9] = '\\'; out[10] = '\x41'; out[11] = '\t';
    out[12] = 2147483648; out[13] = 0x7fffffffffffffffL; out[14] = '"'; out[15] = 7lu;
    enum { LAST = '\377' }; // characters are chars, which have a sign
    out[16] = '\xff'; out[17] = LAST; out[18] = '\x80';
#if '\xff' > 0
    out[19] = 1;
#else
    out[19] = 2;
#endif
}
