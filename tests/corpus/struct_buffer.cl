// Buffers of structs, read and written by member.
// run: ages global=3
// arg: buf:i32:9:iota
// expect list: 0 2 4 3 8 10 6 14 16
struct pair { int key; int value[2]; };
__kernel void ages(__global struct pair* list) {
    __global struct pair* mine = list + get_global_id(0);
    mine->value[0] = mine->value[0] + mine->value[0];
    list[get_global_id(0)].value[1] *= 2;
}
