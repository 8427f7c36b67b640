// Items that return early, and void functions that do.
// run: early global=6
// arg: buf:i32:6
// arg: u32:4
// expect out: 1 0 5 7 0 0
void odd_only(__global int* at, int x) {
    if (x % 2 == 0) return;
    *at = 2 * x + 1;
}
__kernel void early(__global int* out, const uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    if (i == 0) { out[i] = 1; return; }
    if (i == 2) out[i] = 5;
    if (i > 2) odd_only(out + i, i);
}
