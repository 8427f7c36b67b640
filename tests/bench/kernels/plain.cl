/* Kernels as people write them, without barriers: one element a work-item, guarded. */
__kernel void saxpy(__global float* y, __global const float* x, const float a, const int n) {
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i] * 0.5f;
}

/* A rational function, with an early return. */
__kernel void polynomial(__global float* y, __global const float* x, const float unused, const int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float t = x[i];
    float above = ((((0.0625f * t + 0.25f) * t - 1.5f) * t + 0.75f) * t - 2.0f) * t + 1.0f;
    float below = (t * t + 1.0f) * (0.5f * t * t + 2.0f);
    y[i] = above / below;
}

__kernel void sigmoid(__global float* y, __global const float* x, const float unused, const int n) {
    int i = get_global_id(0);
    if (i < n)
        y[i] = 1.0f / (1.0f + exp(-x[i]));
}

/* Five points of a square grid; the edge is left alone. */
__kernel void stencil(__global float* y, __global const float* x, const float weight, const int n) {
    int column = get_global_id(0);
    int row = get_global_id(1);
    if (column > 0 && column < n - 1 && row > 0 && row < n - 1) {
        int i = row * n + column;
        y[i] = weight * x[i] + 0.2f * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
    }
}
