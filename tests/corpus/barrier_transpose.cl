// A transposition through local memory, not square: 4 wide, 2 high becomes 2 wide, 4 high.
// run: transpose global=4x2 local=2x2
// arg: buf:u8:8:iota
// arg: buf:u8:8
// expect out: 0 4 1 5 2 6 3 7
__kernel void transpose(__global const uchar* in, __global uchar* out) {
    __local uchar tile[2][3];
    const int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * 4 + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 2 + y) * 2 + get_group_id(1) * 2 + x] = tile[x][y];
}
