// while and do: the one may run no time, the other runs once at least.
// run: loops global=1
// arg: buf:i32:6
// arg: i32:27
// expect out: 111 0 1 3 4 12
__kernel void loops(__global int* out, const int n) {
    int x = n, steps = 0;
    while (x != 1) { x = x & 1 ? 3 * x + 1 : x / 2; steps++; }   // Collatz: 27 takes 111 steps
    out[0] = steps;
    int none = 0; while (n < 0) none++; out[1] = none;
    int once = 0; do once++; while (n < 0); out[2] = once;
    int digits = 0, rest = 128; do { digits++; rest /= 10; } while (rest); out[3] = digits;
    int k = 0; while (1) { if (k == 4) break; k++; } out[4] = k;
    int odd = 0, i = 0; do { i++; if (i % 2) continue; odd += i; } while (i < 6); out[5] = odd;
}
