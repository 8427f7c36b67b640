// A byte order mark at the begin, and letters beyond ASCII in a comment: äöü, π.
// run: marked global=1
// arg: buf:i32:1
// expect out: 4
__kernel void marked(__global int* out) { out[0] = 4; } // ½
