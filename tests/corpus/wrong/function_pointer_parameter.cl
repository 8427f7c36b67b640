// error: 3:18: function pointers are not supported
// advice: Choose between functions with a switch.
int call(int (*f)(int)) { return f(1); }
__kernel void k(__global int* out) { out[0] = 1; }
