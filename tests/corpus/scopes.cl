// Scopes: names hidden in blocks, loops and functions, types too; a name as tag, member and variable at once.
// run: scopes global=1
// arg: buf:i32:7
// expect out: 1 2 3 1 5 6 14
struct item { int item; };
__constant int value = 5;
int value_of(void) { return value; }
__kernel void scopes(__global int* out) {
    int a = 1;
    out[0] = a;
    {
        int a = 2;
        out[1] = a;
        for (int a = 3; a < 4; a++) out[2] = a;
    }
    out[3] = a;
    out[4] = value_of();
    int value = 6;
    out[5] = value;
    struct item item = {7};
    typedef int Local;
    { typedef float Local; Local half_of = 0.5f; item.item = (int)(item.item / half_of); }
    Local result = item.item;
    out[6] = result;
}
