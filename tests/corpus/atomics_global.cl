// 32-bit atomics in global memory, signed and unsigned; what they answer.
// run: counts global=16 local=4
// arg: buf:i32:10
// arg: buf:u32:3
// expect n: 120 -16 15 -5 16 16 16 0 1 0
// expect u: 20 0 0xffffffff
// run: answers global=1
// arg: buf:i32:12
// expect n: 5 8 7 7 8 8 7 3 2 7 6 1
__kernel void counts(__global int* n, volatile __global uint* u) {
    const int i = get_global_id(0);
    atomic_add(n, i);
    atomic_sub(n + 1, 1);
    atomic_max(n + 2, i);
    atomic_min(n + 3, i - 5);
    atomic_inc(n + 4);
    atomic_inc(n + 5); atomic_dec(n + 6); atomic_add(n + 6, 2);
    atomic_xor(n + 7, i);             // 0 ^ 1 ^ ... ^ 15 is 0
    atomic_cmpxchg(n + 8, 0, 1);
    atomic_and(n + 9, i);
    if (i < 4) atomic_add(u, 5u);
    atomic_min(u + 1, (uint)i);
    atomic_max(u + 2, 0xffffffffu - i);
}
__kernel void answers(__global int* n) {
    int a = 5;
    n[0] = a; n[1] = atomic_add(n, 3) + 3;
    n[2] = atomic_sub(n, 1) - 1;
    n[3] = atomic_xchg(n, 8);
    n[4] = atomic_cmpxchg(n, 8, 9) ; n[5] = atomic_cmpxchg(n, 9, 10) - 1;
    n[6] = atomic_and(n, 7) - 3;
    n[7] = atomic_or(n, 4) + 1;
    n[8] = atomic_xor(n, 3) - 4;
    n[9] = atomic_min(n, 7) + 2;
    n[10] = atomic_max(n, 1) + 1;
    n[11] = atomic_inc(n) - 4; atomic_dec(n);
}
