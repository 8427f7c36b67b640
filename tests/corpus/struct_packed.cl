// packed leaves no gaps, aligned makes more of them.
// run: sizes global=1
// arg: buf:i32:5
// expect out: 8 5 16 7 258
struct loose { char c; int i; };
struct __attribute__((packed)) tight { char c; int i; };
struct wide { int i; } __attribute__((aligned(16)));
__kernel void sizes(__global int* out) {
    out[0] = sizeof(struct loose); out[1] = sizeof(struct tight); out[2] = sizeof(struct wide);
    struct tight t = {7, 258};
    out[3] = t.c; out[4] = t.i;
}
