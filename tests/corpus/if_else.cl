// if and else: chains, and an else that belongs to the nearest if.
// run: branches global=6
// arg: buf:i32:6
// expect out: 1 10 3 4 4 0
__kernel void branches(__global int* out) {
    const int i = get_global_id(0);
    int r = 0;
    if (i == 0) r = 1;
    else if (i == 1) { r = 10; }
    else if (i < 5)
        if (i == 2) r = 3;
        else r = 4;
    out[i] = r;
}
