// printf: numbers, widths, characters, strings, vectors, joined literals, its answer.
// not on the stand-in: it does not know vprintf
// run: print global=1
// arg: i32:42
// arg: f32:1.5
// prints: 42|   42|42   |+42|00042|2a|52
// prints: 1.500000|1.50|1.500e+00|1.5
// prints: *A %text
// prints: 1,2,3,4|0.5,1.5
// prints: -5000000000 18446744073709551615
// prints: joined 0
__kernel void print(const int n, const float x) {
    printf("%d|%5d|%-5d|%+d|%05d|%x|%o\n", n, n, n, n, n, n, n);
    printf("%f|%.2f|%.3e|%g\n", x, x, x, x);
    printf("%c%c %%%s\n", n, 65, "text");
    printf("%v4hld|%.1v2hlf\n", (int4)(1, 2, 3, 4), (float2)(0.5f, x));
    printf("%ld %lu\n", -5000000000L, 0xfffffffffffffffful);
    printf("joi" "ned %d\n", printf(""));
}
