// Designated initialisers: members by name, elements by number, and mixtures.
// run: designators global=1
// arg: buf:i32:16
// expect out: 4 0 5 0 0 3 7 8 1 0 9 6 7 2 4 5
struct shape { int width, height, depth; };
__constant int table[6] = {[2] = 3, [4] = 7, 8};
__kernel void designators(__global int* out) {
    const struct shape s = {.width = 4, .depth = 5};
    out[0] = s.width; out[1] = s.height; out[2] = s.depth;
    out[3] = table[0]; out[4] = table[1]; out[5] = table[2]; out[6] = table[4]; out[7] = table[5];
    int a[4] = {1, [3] = 9};
    out[8] = a[0]; out[9] = a[2]; out[10] = a[3];
    const struct shape list[2] = {{.height = 2}, {.height = 6}};
    out[11] = list[1].height;
    const struct shape turned = {.depth = 7, .height = 2};    // not in order
    out[12] = turned.depth; out[13] = turned.height + turned.width;
    union { float f; int i; } both = {.f = 4};
    out[14] = both.f;
    const struct { struct shape s[2]; int last; } deep = {.s = {[1] = {.depth = 5}}};
    out[15] = deep.s[1].depth + deep.last;
}
