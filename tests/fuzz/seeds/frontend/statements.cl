enum mode { first, second = 4, third };
union bits { uint u; float f; };
int steps(int n, __private int* p);
int steps(int n, __private int* p) {
    int sum = 0;
    #pragma unroll 4
    for (int i = 0, j = n; i < j; ++i, --j) {
        switch (i & 3) {
        case first: continue;
        case 1 + 1: sum += *p++; break;
        default: goto out;
        }
    }
    do { sum -= n ? sizeof(union bits) : 1; } while (--n > 0);
out:
    return sum;
}
kernel void statements(global int* restrict a, global volatile uint* counter) {
    int numbers[4] = {1, 2, [2] = 3};
    __local int shared[2][16];
    shared[0][get_local_id(0) % 16] = steps(3, numbers);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    while (a[0]) { a[0] = shared[0][0]; if (atomic_inc(counter) > 4u) break; else return; }
}
