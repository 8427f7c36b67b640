// bool, size_t, ptrdiff_t, intptr_t within kernels.
// run: types global=3
// arg: buf:i32:6
// expect out: 0 1 1 8 1 2
__kernel void types(__global int* out) {
    const size_t i = get_global_id(0);
    const bool some = i, yes = true, no = false;
    out[i] = some;
    if (i == 2) {
        ptrdiff_t d = &out[5] - &out[4]; intptr_t n = 2;
        out[3] = sizeof(size_t); out[4] = d * (yes && !no); out[5] = n;
    }
}
