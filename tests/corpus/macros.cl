// Macros: with and without parameters, # and ##, rescanning, redefinition, a kernel's name made by one.
// run: made_kernel global=1
// arg: buf:i32:10
// expect out: 7 12 3 6 4 2 5 15 1 24
#define SEVEN 7
#define SQUARE_SUM(a, b) ((a) * (a) + (b))
#define JOIN(a, b) a##b
#define NAME(prefix) JOIN(prefix, _kernel)
#define TEXT(x) #x
#define WIDE(T, n) JOIN(T, n)
#define LOOP(i, n) for (int i = 0; i < (n); i++)
#define foo(x) (x + bar)
#define bar foo(1)
#define TWO_LINES(a) \
    (a +             \
     2)
__constant char text[] = TEXT(SEVEN + 1);
__kernel void NAME(made)(__global int* out) {
    out[0] = SEVEN; out[1] = SQUARE_SUM(1 + 2, 3);
    WIDE(int, 4) v = (WIDE(int, 4))(3); out[2] = v.y;
    int sum = 0; LOOP(k, 4) sum += k; out[3] = sum;
    out[4] = TWO_LINES(2);
#undef SEVEN
#define SEVEN 2
    out[5] = SEVEN;
#undef bar
    int bar = 4; out[6] = foo(1);
    out[7] = text[0] == 'S' ? sizeof(text) + 5 : 0;
    out[8] = __LINE__ > 20; out[9] = SQUARE_SUM(SQUARE_SUM(2, 0), SQUARE_SUM(2, 4));
}
