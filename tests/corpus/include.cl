// #include from the file's own folder: with and without a guard, in a folder below.
// run: included global=1
// arg: buf:i32:3
// expect out: 5 25 3
#include "parts/square.h"
#include "parts/square.h"
#include "parts/values.inc"
__kernel void included(__global int* out) {
    out[0] = five; out[1] = square(five); out[2] = PARTS;
}
