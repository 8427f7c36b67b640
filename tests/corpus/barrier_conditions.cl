// Barriers in conditions and loops that all items of a group share, with arrays that live across them.
// run: conditions global=8 local=4
// arg: buf:i32:8
// arg: i32:3
// expect out: 63 52 41 30 7 6 5 4
__kernel void conditions(__global int* out, const int n) {
    __local int t[4];
    const int id = get_local_id(0), group = get_group_id(0);
    int keep[2] = {id, 10 * id};
    if (group == 0) {
        t[id] = 3 - id;
        barrier(CLK_LOCAL_MEM_FENCE);
        int turns = 0;
        while (turns < n) {
            const int next = t[(id + 1) % 4];
            barrier(CLK_LOCAL_MEM_FENCE);
            t[id] = next;
            barrier(CLK_LOCAL_MEM_FENCE);
            turns++;
        }
        keep[1] = keep[1] * 0 + 3 - keep[0];          // t[id] is now what stood three places on
        out[get_global_id(0)] = (id == 0 ? 0 : t[id] - t[id]) + keep[1] + (3 + keep[1]) * 10;
    } else {
        t[id] = id;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[3 - keep[0]] + 4;
    }
}
