// barrier with both fences, mem_fence and its two halves.
// run: fences global=4 local=4
// arg: buf:i32:8
// expect out: 1 2 3 0 1 2 3 0
__kernel void fences(__global int* out) {
    const int id = get_local_id(0);
    out[id] = id;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const int next = out[(id + 1) % 4];
    mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[id] = next;
    out[4 + id] = next;
}
