// What a work-item knows of itself, in one, two and three dimensions.
// run: line global=6 local=3
// arg: buf:i32:24
// expect out: 0 0 0 0 1 1 0 1 2 2 0 2 3 0 1 0 4 1 1 1 5 2 1 2
// run: cube global=2x2x2 local=1x2x1
// arg: buf:i32:8
// expect out: 0 1 10 11 100 101 110 111
// run: sizes global=4x6 local=2x3
// arg: buf:i32:12
// expect out: 2 4 6 1 2 3 1 2 2 1 0 1
__kernel void line(__global int* out) {
    const int i = get_global_id(0);
    out[4 * i] = get_global_id(0); out[4 * i + 1] = get_local_id(0);
    out[4 * i + 2] = get_group_id(0); out[4 * i + 3] = get_global_id(0) % get_local_size(0);
}
__kernel void cube(__global int* out) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[x + 2 * y + 4 * z] = x + 10 * (get_group_id(1) * get_local_size(1) + get_local_id(1)) + 100 * get_group_id(2);
}
__kernel void sizes(__global int* out) {
    if (get_global_id(0) || get_global_id(1)) return;
    out[0] = get_work_dim();
    for (int d = 0; d < 3; d++) {
        out[1 + d] = get_global_size(d); out[4 + d] = get_local_size(d); out[7 + d] = get_num_groups(d);
    }
    out[10] = get_global_offset(0); out[11] = get_global_size(2);
}
