// Strings initialise arrays of characters.
// run: strings global=1
// arg: buf:i32:8
// expect out: 4 97 99 0 6 10 66 0
__constant char word[] = "abc";
__kernel void strings(__global int* out) {
    out[0] = sizeof(word); out[1] = word[0]; out[2] = word[2]; out[3] = word[3];
    const uchar text[] = "x\ny\x42z";
    out[4] = sizeof(text); out[5] = text[1]; out[6] = text[3]; out[7] = text[5];
}
