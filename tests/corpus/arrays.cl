// Arrays in private memory: of one and more dimensions, partly initialised, lengths by expression and by initialiser.
// run: arrays global=1
// arg: buf:i32:10
// arg: i32:2
// expect out: 3 0 0 6 5 23 4 24 9 12
int third(const int* a) { return a[2]; }
int cell(int grid[2][3], int y, int x) { return grid[y][x]; }
__kernel void arrays(__global int* out, const int two) {
    int a[5] = {1, 2, 3};
    out[0] = a[two]; out[1] = a[3]; out[2] = a[two + 2];
    int b[2][3] = {{1, 2, 3}, {4, 5, 6}};
    out[3] = b[1][two]; out[4] = b[1][1];
    int c[4][2 + 3];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++) c[y][x] = 10 * y + x;
    out[5] = c[two][3];
    int d[] = {7, 8, 9, 10};
    out[6] = sizeof(d) / sizeof(d[0]); out[7] = sizeof b;
    out[8] = third(d); out[9] = cell(b, 1, 2) * two;
}
