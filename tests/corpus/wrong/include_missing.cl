// error: 2:2: cannot find include file 'no_such_file.h'
#include "no_such_file.h"
__kernel void k(__global float* out) { out[0] = 1; }
