/* What Oclgrind is to find, one fault in each kernel, launched as one group of 64 work-items with 64 elements. A log
 * that does not name the fault, or that nobody reads, fails the gates. */
__kernel void planted_race(__global uint* out) {
    __local uint tile[64];
    const uint item = get_local_id(0);
    tile[item] = item;
    out[item] = tile[63 - item]; /* the barrier before this line is missing */
}
__kernel void planted_overrun(__global uint* out) { out[get_global_id(0) + 1] = 1; }
