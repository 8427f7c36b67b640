// error: 4:2: #error TILE must be given
// advice: The kernel's source refuses this configuration itself.
#ifndef TILE
#error TILE must be given
#endif
__kernel void k(__global float* out) { out[0] = 1; }
