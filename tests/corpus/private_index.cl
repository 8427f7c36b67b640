// Private arrays, by numbers that only the item knows: kept across a barrier, and within one item's loop.
// run: kept global=4x4 local=4x4
// arg: buf:u32:16:iota
// arg: buf:u32:16
// arg: u32:5
// expect out: 1201 1202 1211 1206 1213 1210 1215 1218 1225 1218 1235 1230 1237 1226 1239 1242
// run: alone global=16 local=16
// arg: buf:u32:16:iota
// arg: buf:u32:16
// expect out: 1151 357 165 273 1175 381 193 293 1199 405 221 313 1223 429 249 333
// run: dimension global=8 local=8
// arg: buf:u32:8
// arg: u32:0
// expect out: 0 2 4 6 8 10 12 14
void change(uint* x, uint by) {
    const uint old = *x;
    *x = old * 2u + (by ^ old);
}
__kernel void kept(__global const uint* in, __global uint* out, const uint n) {
    __local uint sum;
    const uint lid = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const uint gid = get_global_id(1) * get_global_size(0) + get_global_id(0), a = in[gid];
    uint arr[4] = {1u, lid, n, 3u};
    change(arr + 1, arr[a & 3u] & 4095u); // a load between two stores to a neighbour
    if (lid == 0u) sum = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, lid);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = arr[1] + 10u * sum;
}
__kernel void alone(__global const uint* in, __global uint* out) {
    const uint a = in[get_global_id(0)];
    uint t[4] = {a, a + 100u, a * 2u, 7u}, u = a, v = a + 1u;
    uint* const p = a & 1u ? &u : &v;
    t[(a + 1u) & 3u] += 1000u;
    *p += 50u;
    out[get_global_id(0)] = t[a & 3u] + t[1] + 3u * u + v;
}
__kernel void dimension(__global uint* out, const uint d) {
    out[get_global_id(0)] = get_global_id(d) + get_local_id(d);
}
