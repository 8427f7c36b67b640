#define A B B
#define B A A
A
#define f(x) f(f)(x)
f(f)(1)
