// #line renumbers the lines that follow.
// run: lines global=1
// arg: buf:i32:3
// expect out: 100 200 201
__kernel void lines(__global int* out) {
#line 100
    out[0] = __LINE__;
#define NEXT 200
#line NEXT "made.cl"
    out[1] = __LINE__;
    out[2] = __LINE__;
}
