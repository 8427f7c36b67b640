// error: 4:23: the value of 'case' cannot depend on 'i', which is known only when the kernel runs
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    switch (i) { case i + 1: out[i] = 1; }
}
