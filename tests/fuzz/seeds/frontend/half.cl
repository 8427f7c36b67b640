#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half* h, global const ushort* b, global double* d) {
    float4 v = vload_half4(get_global_id(0), h);
    vstore_half_rte(v.s0 + as_float((uint)b[0] << 16), 1, h);
    vstore4(v, 0, (global float*)d);
    event_t done = async_work_group_copy((local int*)0, (global int*)d, 4, 0);
    wait_group_events(1, &done);
    printf("%d\n", 1);
}
