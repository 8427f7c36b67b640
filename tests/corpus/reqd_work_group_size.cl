// A kernel that asks for its group's size gets it, also where the launch says none.
// run: fixed global=8x4
// arg: buf:i32:3
// expect out: 4 2 1
// run: fixed global=8x4 local=4x2
// arg: buf:i32:3
// expect out: 4 2 1
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(__global int* out) {
    for (int d = 0; d < 3; d++) out[d] = get_local_size(d);
}
