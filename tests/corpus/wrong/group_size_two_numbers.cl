// error: 2:25: reqd_work_group_size takes three numbers
__kernel __attribute__((reqd_work_group_size(64, 1))) void k(__global float* out) {
    out[0] = 1;
}
