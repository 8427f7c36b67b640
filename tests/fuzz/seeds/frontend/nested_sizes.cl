kernel void k(global int* a) {
    a[0] = 1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1 / sizeof(1))))))))))))))))))))))))))))));
}
