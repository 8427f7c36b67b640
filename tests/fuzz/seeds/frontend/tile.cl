//-D TILE 8
#define AT(m, r, c) ((m)[(r) * TILE + (c)])
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void transpose(global const float4* in, global float4* out, uint rows, local float4* extra) {
    local float4 tile[TILE * TILE];
    const size_t r = get_local_id(1), c = get_local_id(0);
    AT(tile, r, c) = in[get_global_id(1) * rows + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    extra[c] = AT(tile, c, r);
    out[get_global_id(0)] = extra[c];
}
