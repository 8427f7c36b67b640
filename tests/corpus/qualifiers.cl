// const, restrict, volatile, and the spellings with and without underscores.
// run: qualified global=4
// arg: buf:i32:4:iota
// arg: buf:i32:4
// expect out: 1 3 5 7
kernel void qualified(global const int* restrict in, __global volatile int* out) {
    private int twice = 2;
    volatile int one = 1;
    const int* const place = &twice;
    const size_t i = get_global_id(0);
    out[i] = in[i] * *place + one;
}
