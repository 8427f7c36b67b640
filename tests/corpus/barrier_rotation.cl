// A value handed round the group as often as an argument says.
// run: turned global=8 local=4
// arg: buf:i32:8:iota
// arg: i32:3
// expect data: 3 0 1 2 7 4 5 6
__kernel void turned(__global int* data, const int turns) {
    __local int t[4];
    const int id = get_local_id(0);
    t[id] = data[get_global_id(0)];
    for (int turn = 0; turn < turns; turn++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int next = t[(id + 1) % 4];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[id] = next;
    }
    data[get_global_id(0)] = t[id];
}
