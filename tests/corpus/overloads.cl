// Overloaded functions choose by the types of their arguments.
// run: overloads global=1
// arg: buf:i32:5
// expect out: 1 2 3 4 12
int __attribute__((overloadable)) kind(int x) { return 1; }
int __attribute__((overloadable)) kind(float x) { return 2; }
int __attribute__((overloadable)) kind(float4 x) { return 3; }
int __attribute__((overloadable)) kind(int x, int y) { return 4; }
int __attribute__((overloadable)) kind(int2 x) { return x.x * x.y; }
__kernel void overloads(__global int* out) {
    out[0] = kind(1); out[1] = kind(1.0f); out[2] = kind((float4)(1)); out[3] = kind(1, 2); out[4] = kind((int2)(3, 4));
}
