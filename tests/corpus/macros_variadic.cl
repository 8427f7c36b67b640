// Macros with any number of arguments.
// run: variadic global=1
// arg: buf:i32:4
// expect out: 6 3 1 10
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1)
#define COUNT_(a, b, c, d, n, ...) n
#define CALL(f, ...) f(__VA_ARGS__)
#define QUAD(...) ((int4)(__VA_ARGS__))
int sum3(int a, int b, int c) { return a + b + c; }
__kernel void variadic(__global int* out) {
    out[0] = CALL(sum3, 1, 2, 3); out[1] = COUNT(a, b, c); out[2] = COUNT(x);
    const int4 v = QUAD(1, 2, 3, 4); out[3] = v.x + v.y + v.z + v.w;
}
