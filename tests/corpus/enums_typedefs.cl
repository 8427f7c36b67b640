// Enumerations with and without values, in constants and switch; typedefs of scalars, vectors, arrays and pointers.
// run: names global=1
// arg: buf:i32:9
// expect out: 0 5 6 12 2 3 4 30 7
enum colour { red, green = 5, blue, total = red + green + blue + 1 };
typedef enum { off, on = 2 } Switch;
typedef int Number;
typedef int4 Quad;
typedef int Row[3];
typedef __global int* Place;
enum { size_of_a = 3 };
__kernel void names(Place out) {
    out[0] = red; out[1] = green; out[2] = blue; out[3] = total;
    Switch s = on; out[4] = s;
    Row row = {10, 20, 3}; out[5] = row[2];
    Quad q = (Quad)(1, 2, 3, 4); Number n = q.w; out[6] = n;
    Number a[size_of_a]; a[size_of_a - 1] = 30; out[7] = a[2];
    enum colour c = blue;
    switch (c) { case red: out[8] = 1; break; case blue: out[8] = 7; break; default: out[8] = 9; }
}
