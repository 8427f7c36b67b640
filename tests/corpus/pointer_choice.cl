// A choice between pointers, and between arrays, is a pointer.
// run: choice global=4
// arg: buf:i32:4
// expect out: 21 12 23 14
typedef struct { int x, y; } pair;
__kernel void choice(__global int* out) {
    const int i = get_global_id(0);
    int low[4] = {10, 11, 12, 13}, high[4] = {20, 21, 22, 23};
    pair one = {1, 2}, other = {0, 3};
    __global int* p = out;
    const int x = (i % 2 == 0 ? high : low)[i] + (i == 9 ? &other : &one)->x;
    *(i < 100 ? p + i : p) = x;
}
