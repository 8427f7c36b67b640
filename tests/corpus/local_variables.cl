// Local variables of a kernel: scalars, arrays of one and two dimensions, vectors, structs.
// run: reversed global=8 local=4
// arg: buf:i32:8:iota
// expect data: 3 2 1 0 7 6 5 4
// run: kinds global=4 local=4
// arg: buf:i32:4
// expect out: 42 31 20 13
__kernel void reversed(__global int* data) {
    __local int part[4];
    const int id = get_local_id(0);
    part[id] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = part[3 - id];
}
struct pair { int a, b; };
__kernel void kinds(__global int* out) {
    __local int one, grid[2][2];
    __local int4 v;
    __local struct pair p[4];
    const int id = get_local_id(0);
    if (id == 0) { one = 10; v = (int4)(0, 1, 2, 3); }
    grid[id / 2][id % 2] = id;
    p[id].a = 10 * id; p[id].b = p[id].a + 2 - id;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int back = 3 - id;
    out[id] = one * (id < 3) + p[back].a + grid[back / 2][back % 2] * (id == 0) - one + ((id == 0) ? 9 : 0)
        + (id == 1 ? one + v.y : 0) + (id == 2 ? one : 0) + (id == 3 ? 2 * one + v.w : 0);
}
