/* What the gates are to find: a table that each work-item indexes by numbers known only at run time, so that no
 * compiler can keep it in registers. Handed to them as a shape for GPUs: they must not let it pass. */
__kernel void planted(__global uint* out, __global const uint* in, const int count) {
    uint table[64];
    for (int i = 0; i < 64; i++)
        table[i] = in[i];
    for (int i = 0; i < count; i++)
        table[in[i] & 63] += table[in[i + 1] & 63];
    for (int i = 0; i < 64; i++)
        out[i] = table[i];
}
