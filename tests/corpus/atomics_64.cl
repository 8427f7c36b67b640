// 64-bit atomics, by the names of cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics.
// run: wide global=8
// arg: buf:i64:6:5
// expect n: 30064771077 -3 9 0 7 8
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void wide(__global long* n) {
    const long i = get_global_id(0);
    atom_add(n, i << 30);                     // 28 * 2^30 + 5
    atom_dec(n + 1);
    atom_max(n + 2, i + 2);
    atom_min(n + 3, i);
    atom_or(n + 4, 2l);
    if (i == 0) { atom_inc(n + 5); atom_sub(n + 5, -2l); }
}
