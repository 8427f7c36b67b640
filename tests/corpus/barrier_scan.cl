// A scan in local memory: private variables live across barriers in a loop.
// run: scan global=8 local=8
// arg: buf:i32:8:iota
// expect data: 0 1 3 6 10 15 21 28
__kernel void scan(__global int* data) {
    __local int t[8];
    const int id = get_local_id(0);
    int mine = data[id];
    t[id] = mine;
    for (int step = 1; step < 8; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int other = id >= step ? t[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine += other;
        t[id] = mine;
    }
    data[id] = mine;
}
