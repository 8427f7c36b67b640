// switch: falling through, default in the middle, no match, blocks, nested, in a loop.
// run: choices global=8
// arg: buf:i32:8
// expect out: 100 3 3 30 7 7 77 7
// run: nested global=1
// arg: buf:i32:3
// expect out: 12 5 9
__kernel void choices(__global int* out) {
    const int i = get_global_id(0);
    int r = 0;
    switch (i) {
    case 0: r = 100; break;
    case 1:
    case 2: r = 3; break;
    default: r = 7; break;
    case 3: { int t = 10; r = t; }
    case 8 - 1 + 100: r *= 3; break;
    case 'A' - 59: r = 77;
    }
    out[i] = r;
}
__kernel void nested(__global int* out) {
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        switch (i) {
        case 1: continue;
        case 2: switch (i + 1) { case 3: sum += 10; break; case 2: sum += 100; } break;
        default: if (i == 3) break; sum += 2;
        }
    }
    out[0] = sum;
    out[1] = 5; switch (sum) { case 1: out[1] = 6; }
    switch (sum) { default: out[2] = 9; }
}
