// error: 4:27: 'b' lies in an unnamed member, which cannot be initialised by name
// advice: Write the unnamed member's values in braces, or assign 'b' after the declaration.
struct s { int a; union { int b; float c; }; };
__constant struct s x = {.b = 1};
__kernel void k(__global int* out) { out[0] = x.b; }
