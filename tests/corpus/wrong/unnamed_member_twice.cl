// error: 2:45: member 'a' is declared twice
struct s { int a; union { float b; int a; } ; };
__kernel void k(__global int* out) { struct s x; x.a = 1; out[0] = x.a; }
