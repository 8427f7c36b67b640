// Pointers: arithmetic, differences, comparisons, casts, to pointers, to vectors, void, null.
// run: pointers global=1
// arg: buf:i32:12:iota
// expect data: 3 1 5 9 4 1 0 7 2 1 30 11
void set(int** at, int* to) { *at = to; }
__kernel void pointers(__global int* data) {
    __global int* p = data + 3;
    p[0] = 9;
    __global int* q = &data[7];
    const int difference = q - p;              // 4
    *(p - 3) = 3; *(data + 2) = *(p + 2);
    data[4] = difference;
    data[5] = p < q && p != q;
    __global int4* v = (__global int4*)(data + 8);
    v->x = 2; v->z = 30;
    int own[2] = {1, 2}; int* chosen = own;
    set(&chosen, own + 1);
    void* any = chosen;
    data[8] = *(int*)any;
    __global int* nothing = 0;
    data[6] = nothing != 0; data[9] = !nothing;
    int* walk = own; int total = *walk++; total += *walk; data[0] = total;
}
