// goto: backwards as a loop, forwards out of two loops.
// run: jumps global=1
// arg: buf:i32:3
// expect out: 3 23 1
__kernel void jumps(__global int* out) {
    int j = 0;
again:
    if (j < 3) { j++; goto again; }
    out[0] = j;
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            if (x * y == 6) { out[1] = 10 * y + x; goto found; }
    out[1] = -1;
found:
    out[2] = 1;
}
