// printf in kernels: what is printed, by single items, by groups in a loop, and by kernels split at barriers.
#include "support.hpp"
#include <doctest/doctest.h>

using namespace devq::frontend::test;

namespace {

const char* const source = R"cl(
int next(int* x) { return ++*x; }
__kernel void forms(int a, float x) {
    char c = -1; uchar u = 255; long l = -5000000000l; ulong ul = 18446744073709551615ul;
    float4 v = (float4)(1, -2.5f, 3, x); int3 w = (int3)(1, a, 3); uchar2 b = (uchar2)(200, 1); double2 d = (double2)(0.5, x);
    printf("%d|%5d|%-5d|%+d|%05d|%i", a, a, a, a, a, -a);
    printf("|%u|%x|%#X|%o|%hhd|%hhu|%hd|%ld|%lu\n", u, 255, a, 8, c, c, 70000, l, ul);
    printf("%f|%.2f|%8.3e|%g|%G|%.1a\n", x, x, x, x, 1e-10f, 1.0f);
    printf("%v4f|%.1v4hlf|%v3d|%v2hhu|%5v3hlx|%v2lg\n", v, v, w, b, w, d);
    printf("%c%c %s %% (%s\n" "joined [\n", 'o', 75, "text, with \"quotes\"", "a)");
printf("nothing\n");
int once = 4;
const int answer = printf("%d %d\n", next(&once), 7);
printf("%d %d\n", once, answer);
}
__kernel void items(int n) {
    const int i = get_global_id(0);
    if (i % 3 == n)
        printf("item %d of %d;", i, (int)get_global_size(0));
}
__kernel void phases(int n) {
    __local int t[8];
    const int lid = get_local_id(0);
    t[lid] = lid * n;
    printf("a%d ", lid);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int x = t[7 - lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 2; ++i) {
        printf("b%d.%d ", i, x);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
)cl";

} // namespace

TEST_CASE("printf: every form, vectors, order of items") {
    if (host_compiler().empty()) {
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
        return;
    }
    const HostProgram program(source, false, "-O2");
    int a = 42, n = 1;
    float x = 1.5f;
    program.run("forms", {Argument::value(a), Argument::value(x)}, {1, 1, 1});
    CHECK(program.printed ==
          "42|   42|42   |+42|00042|-42|255|ff|0X2A|10|-1|255|4464|-5000000000|18446744073709551615\n"
          "1.500000|1.50|1.500e+00|1.5|1E-10|0x1.0p+0\n"
          "1.000000,-2.500000,3.000000,1.500000|1.0,-2.5,3.0,1.5|1,42,3|200,1|    1,   2a,    3|0.5,1.5\n"
          "oK text, with \"quotes\" % (a)\njoined [\n"
          "nothing\n5 7\n5 0\n");
    program.run("items", {Argument::value(n)}, {8, 1, 1}, {4, 1, 1});
    CHECK(program.printed == "item 1 of 8;item 4 of 8;item 7 of 8;");
    CHECK(program.kernel("phases").split == 1);
    program.run("phases", {Argument::value(n)}, {4, 1, 1}, {4, 1, 1});
    CHECK(program.printed.substr(0, 12) == "a0 a1 a2 a3 ");
    const HostProgram single(source, true, "-O2");
    single.run("items", {Argument::value(n)}, {8, 1, 1}, {1, 1, 1});
    CHECK(single.printed == "item 1 of 8;item 4 of 8;item 7 of 8;");
}
