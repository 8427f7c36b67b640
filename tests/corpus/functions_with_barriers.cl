// Barriers in functions, also in one that another function calls, and in a loop there.
// run: sums global=16 local=8
// arg: buf:i32:16:iota
// arg: buf:i32:2
// expect out: 29 93
// run: names global=4 local=4
// arg: buf:i32:4:iota
// arg: buf:i32:4
// expect out: 3 2 1 0
int sum_of_group(int x, __local int* scratch) {
    const int id = get_local_id(0);
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = get_local_size(0) / 2; n > 0; n >>= 1) {
        if (id < n) scratch[id] += scratch[id + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return scratch[0];
}
int plus_one(int x, __local int* scratch) {
    const int sum = sum_of_group(x, scratch);
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum + 1;
}
__kernel void sums(__global const int* in, __global int* out) {
    __local int scratch[8];
    const int sum = plus_one(in[get_global_id(0)], scratch);   // 28 + 1, 92 + 1
    if (get_local_id(0) == 0) out[get_group_id(0)] = sum;
}
// A variable here has the name of a function that the kernel calls.
int size_of_group(void) { return get_local_size(0); }
int other(int x, __local int* scratch) {
    const int all = size_of_group(), me = get_local_id(0), min = all - 1;
    scratch[me] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    return scratch[min - me];
}
__kernel void names(__global const int* in, __global int* out) {
    __local int scratch[4];
    const int x = in[get_global_id(0)];
    const int y = other(min(x, 9) + all((int2)(x)), scratch);
    out[get_global_id(0)] = min(y, 8) + all((int2)(x, y));
}
