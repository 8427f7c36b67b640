// Components written: one, several, in another order, with operators, through pointers, in arrays.
// run: write global=1
// arg: buf:i32:24
// expect out: 13 46 22 29 5 6 9 8 12 13 14 15 4..11 11 11 2 1
__kernel void write(__global int* out) {
    int4 v = (int4)(1, 2, 3, 4);
    v.xy = v.zw;               // 3 4 3 4
    v.s32 += (int2)(10, 20);   // 3 4 23 14
    v.lo = v.hi.yx;            // 14 23 23 14
    v.odd *= 2;                // 14 46 23 28
    v.w++;                     // 14 46 23 29
    v.xz -= 1;                 // 13 46 22 29
    vstore4(v, 0, out);
    int4 grid[2][2];
    grid[1][0] = (int4)(8);
    int4* p = &grid[1][0];
    p->x = 5; (*p).y = 6; grid[1][0].z = 9;
    vstore4(grid[1][0], 1, out);
    int16 wide = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    wide.s0123 = wide.scdef;
    vstore8(wide.lo, 1, out);
    vstore4(wide.s89ab, 4, out);
    int2 w = (int2)(1, 2);
    w = w.yx;
    v.zw = w;
    v.xy = (int2)(11);
    vstore4(v, 5, out);
}
