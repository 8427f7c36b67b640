// Several kernels in one program, one of which calls another's code.
// run: twice global=3
// arg: buf:i32:3:iota
// expect x: 0 2 4
// run: four_times global=3
// arg: buf:i32:3:iota
// expect x: 0 4 8
__kernel void twice(__global int* x) { x[get_global_id(0)] *= 2; }
void again(__global int* x) { x[get_global_id(0)] *= 2; }
__kernel void four_times(__global int* x) { twice(x); again(x); }
