// Functions: prototypes, pointers as parameters, several results through them, calls within calls, void.
// run: functions global=4
// arg: buf:i32:8
// expect out: 1 0 9 2 25 6 49 12
int square(int x);
static inline int cube(int x) { return x * square(x); }
void both(int x, int* first, int* second) { *first = square(x);
    *second = cube(x) / 2 - x * x * x / 2 + x / 2 * (x / 2 + 1); }
int square(int x) { return x * x; }
void store(__global int* at, int value) { *at = value; }
__kernel void functions(__global int* out) {
    const int i = get_global_id(0);
    int a, b;
    both(2 * i + 1, &a, &b);
    store(out + 2 * i, a);
    store(&out[2 * i + 1], b);
}
