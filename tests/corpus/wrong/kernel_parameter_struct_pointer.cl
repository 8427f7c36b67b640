// error: 4:29: parameter 'l' of kernel 'k' is a struct that holds pointers
// advice: Pass each pointer as its own parameter.
struct list { __global float* data; };
__kernel void k(struct list l) {
    l.data[0] = 1;
}
