// error: 4:46: function pointers are not supported
// advice: Choose between functions with a switch.
int one(int x) { return x; }
__kernel void k(__global int* out) { int (*f)(int) = one; out[0] = f(1); }
