kernel void k(image2d_t i) {}
int r(int n) { return r(n); }
