// Barriers where the CPU cannot split a kernel: in switch, and beside goto.
// run: chosen global=4 local=4
// arg: buf:i32:4
// arg: i32:2
// expect out: 13 12 11 10
// run: jumping global=4 local=4
// arg: buf:i32:4
// expect out: 3 2 1 0
__kernel void chosen(__global int* out, const int which) {
    __local int t[4];
    const int id = get_local_id(0);
    t[id] = id;
    switch (which) {
    case 1: out[id] = 0; break;
    case 2: barrier(CLK_LOCAL_MEM_FENCE); out[id] = 10 + t[3 - id]; break;
    }
}
__kernel void jumping(__global int* out) {
    __local int t[4];
    const int id = get_local_id(0);
    int turn = 0;
again:
    t[id] = turn ? t[id] : id;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int next = t[3 - id];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[id] = next;
    if (++turn < 3) goto again;
    out[id] = t[id];
}
