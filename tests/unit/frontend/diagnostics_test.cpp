#include "support.hpp"
#include <ctime>
#include <doctest/doctest.h>

using namespace devq::frontend;
using test::error_of;

TEST_CASE("wrong programs: what is said, and where") {
    struct Case {
        const char* source;
        const char* message;
    };
    const Case cases[] = {
        {"struct s { int a; struct { bool b[2]; } t; }; kernel void k(struct s x) {}",
         "error: parameter 'x' of kernel 'k' holds a member of type 'bool'"},
        {"struct s { half h; }; kernel void k(struct s x) {}", "holds a member of type 'half'"},
        {"kernel void k(int n) { if (n) { local int t[4]; t[0] = n; } }",
         "1:43: error: 't' cannot be __local within a block of the kernel"},
        // types and names
        {"void f(void) { flaot x; }", "1:16: error: unknown type name 'flaot' (did you mean 'float'?)"},
        {"void f(foo x) {}", "1:8: error: unknown type name 'foo'"},
        {"int f(int a) { return b; }", "1:23: error: 'b' is not declared"},
        {"int f(int count) { return cuont; }", "1:27: error: 'cuont' is not declared (did you mean 'count'?)"},
        {"float f(float x) { return M_PIF; }", "'M_PIF' is not declared (did you mean 'M_PI'?)"},
        {"float f(float x) { return sqr(x); }", "1:27: error: 'sqr' is no function of this program and no built-in of "
                                                "OpenCL C 1.2 (did you mean 'sqrt'?)"},
        {"int f(int a, int b) { return a; } int g(void) { return f(1); }",
         "1:56: error: function 'f' takes 2 arguments, 1 given"},
        {"int g(int x); int f(void) { return g(1); }", "1:36: error: function 'g' is declared but has no body"},
        {"int f(int x) { return x; }\nint f(int y) { return y; }",
         "2:5: error: function 'f' is defined twice; the first time in line 1"},
        {"void f(void) { int a; float a; }", "1:29: error: 'a' is declared twice; the first time in line 1"},
        {"typedef float real; float f(void) { return real; }", "'real' is a type and has no value"},
        {"long double x;", "these words together make no type"},
        {"unsigned float f(void) { return 1; }", "these words together make no type"},
        // syntax
        {"void f(void) { int a = 1 }", "1:26: error: expected ';' after the declaration"},
        {"void f(void) {\n    int a = 1\n    a = 2;\n}", "2:14: error: expected ';' or an operator after '1'"},
        {"void f(void) { int a = 1 + ; }", "1:28: error: expected an operand before ';'"},
        {"void f(int a) { a = a a; }", "1:23: error: 'a' was not expected here"},
        {"void f(void) { if (1) }", "1:23: error: expected a statement before '}'"},
        {"void f(void) { if 1) ; }", "1:20: error: ')' does not fit the '{' of line 1"},
        {"void f(void) { int a[2; }", "1:21: error: this '[' is never closed"},
        {"void f(void) {", "1:14: error: this '{' is never closed"},
        {"void f(void) { int s = \"abc; }", "1:24: error: this string is not closed on its line"},
        {"void f(void) { else; }", "1:16: error: 'else' without 'if'"},
        {"void f(void) { break; }", "1:16: error: 'break' outside of a loop or switch"},
        {"void f(void) { continue; }", "1:16: error: 'continue' outside of a loop"},
        {"void f(int x) { case 1: x = 1; }", "1:17: error: 'case' outside of switch"},
        {"void f(int x) { while () x = 1; }", "1:23: error: expected a condition between '(' and ')'"},
        {"void f(int x) { x = x ? 1; }", "1:23: error: '?' has no ':'"},
        {"void f(int x) { x = x[]; }", "an index is missing"},
        {"int f(int x) { return 1.0q; }", "'1.0q' is not a number that OpenCL C knows"},
        {"int f(int x) { return 0x; }", "'0x' is not a number"},
        {"float f(void) { return 1.0h; }", "'1.0h' is not a number"},
        {"void f(int a,) {}", "1:13: error: a parameter is missing after ','"},
        {"struct s { int a }; ", "expected ';' after a member"},
        {"int", "the program ends within a declaration"},
        {"void f(void) { do x; }", "error: 'x' is not declared"},
        {"void f(int x) { do x--; x = 1; }", "1:25: error: expected 'while' after the body of 'do'"},
        // what OpenCL C or this front end has not
        {"__kernel void k(__read_only image2d_t i) {}",
         "1:17: error: images and pipes are not supported; use a buffer"},
        {"__kernel void k(image2d_t i) {}", "images and samplers are not supported; use a buffer"},
        {"__kernel void k(__global int* x) { printf(\"%d %d\", x[0]); }",
         "1:36: error: this printf needs 2 values after its format, 1 given"},
        {"__kernel void k(__global int* x) { printf(x); }", "1:36: error: printf's format must be a string literal"},
        {"__kernel void k(__global int* x) { printf(\"%y\", x[0]); }",
         "1:43: error: '%y' is no conversion that printf knows"},
        {"__kernel void k(__global int* x) { printf(\"%v5d\", x[0]); }", "'%v5d' is no conversion"},
        {"__kernel void k(__global int* x) { printf(\"\\x25n\"); }",
         "1:43: error: a '%' of printf's format cannot be an escape sequence"},
        {"__kernel void k(__global int* x) { printf(\"\\\\\\045n\"); }", "cannot be an escape sequence"},
        {"constant int n = printf(\"n\");", "1:18: error: printf cannot be called outside functions"},
        {"__kernel void k(__global int* x) { printf(\"%s\", x[0]); }", "what %s prints must be a string literal"},
        {"int f(int n) { return n < 2 ? 1 : n * f(n - 1); }", "1:39: error: 'f' calls itself"},
        {"int g(int n);\nint f(int n) { return g(n); }\nint g(int n) { return f(n); }", "recursion is not supported"},
        {"void f(int (*g)(int)) {}", "function pointers are not supported"},
        {"int g(int x) { return x; } void f(void) { int y = g + 1; }", "function pointers are not supported"},
        {"struct s { int a : 3; };", "bit-fields are not part of OpenCL C"},
        {"int f(int n) { int a[n]; return a[0]; }",
         "1:22: error: the size of an array must be an integer constant: 'n' is not an integer constant"},
        {"int counter;", "'counter' must be __constant"},
        {"const int table[2] = {1, 2};", "1:11: error: 'table' must be __constant"},
        {"__constant int c;", "constant 'c' needs a value"},
        {"void f(void) { __local int x; }", "'x' cannot be __local outside a kernel"},
        {"__kernel void k(void) { __local int x = 1; }", "lies in local memory and cannot have an initialiser"},
        {"void f(void) { static int x = 1; }", "variables of functions cannot be static"},
        {"void f(void) { __global int x; }", "cannot lie in global memory"},
        {"int f(int a, ...) { return a; }", "variable numbers of arguments are not supported"},
        // names that some target could not take
        {"kernel void main(global int* p) {}", "1:13: error: a kernel cannot be called 'main'"},
        {"kernel void exp(global int* p) {}", "1:13: error: kernel 'exp' has the name of a built-in function"},
        {"kernel void int8(global int* p) {}", "1:13: error: 'int8' is a type of OpenCL C and cannot be declared"},
        {"int float4(int x) { return x; }", "1:5: error: 'float4' is a type of OpenCL C"},
        {"kernel void printf(global int* p) {}", "1:13: error: 'printf' is a function of OpenCL C"},
        {"typedef int float4;", "1:13: error: 'float4' is a type of OpenCL C"},
        {"constant int max = 3;", "1:14: error: 'max' is a built-in function of OpenCL C"},
        {"enum { one, length };", "1:13: error: 'length' is a built-in function of OpenCL C"},
        {"static kernel void k(global int* p) {}", "1:1: error: kernel 'k' cannot be static"},
        {"kernel void k(size_t n) {}", "1:22: error: parameter 'n' of kernel 'k' is a size_t or ptrdiff_t"},
        {"typedef ptrdiff_t N; kernel void k(N n) {}", "1:38: error: parameter 'n' of kernel 'k' is a size_t"},
        {"struct s { uintptr_t n; }; kernel void k(struct s v) {}", "parameter 'v' of kernel 'k' holds a size_t"},
        {"kernel void k(global int** p) {}", "1:28: error: parameter 'p' of kernel 'k' is a pointer to pointers"},
        // private memory
        {"kernel void k(global int* p) {\n    int a[100000];\n    p[0] = a[1];\n}",
         "2:9: error: a work-item of kernel 'k' would need 400008 bytes of private memory, 400000 of them for 'a'; "
         "262144 are the most"},
        {"int g(int x) { int big[40000]; return big[x]; }\nint f(int x) { int b[30000]; return b[x] + g(x); }\n"
         "kernel void k(global int* p) { p[0] = f(1); }",
         "1:20: error: a work-item of kernel 'k' would need 280016 bytes"},
        {"struct s { int a[40000]; }; int f(struct s x) { return x.a[1]; }\n"
         "kernel void k(global int* p) { p[0] = f((struct s){{1}}) + f((struct s){{2}}); }",
         "2:51: error: a work-item of kernel 'k' would need 480008 bytes of private memory, 160000 of them for "
         "'(struct s){...}'"},
        // initialisers
        {"void f(int n) { int a[4] = {[n] = 1}; }",
         "1:30: error: the number of an element must be an integer constant"},
        {"void f(void) { int a[4] = {[1] 2}; }", "1:32: error: expected '=' after '[1]'"},
        {"void f(void) { int a[4] = {[-1] = 2}; }", "1:28: error: an element cannot have the number -1"},
        {"struct s { int a; }; void f(void) { struct s x = {.b = 1}; }", "1:52: error: 'struct s' has no member 'b'"},
        {"void f(void) { int x[2] = {.b = 1}; }", "1:28: error: '.b =' needs a struct or union"},
        {"union u { int a; float b; }; void f(void) { union u x = {.b = 1}; }",
         "1:58: error: only the first member of a union can be initialised"},
        {"void f(void) { int a[4] = {1,, 2}; }", "1:30: error: ',' was not expected here"},
        {"void f(void) { int s[] = \"abc\"; }", "1:20: error: the length of 's' is unknown"},
        // vectors and members
        {"float f(float4 v) { return v.s4; }", "1:30: error: a vector of 4 has no component 's4'"},
        {"float f(float2 v) { return v.z; }", "a vector of 2 has no component 'z'"},
        {"float f(float8 v) { return v.hi.lo.z; }", "1:36: error: a vector of 2 has no component 'z'"},
        {"float f(float4 v) { return v.foo; }", "'foo' selects nothing of a vector of 4"},
        {"float f(float4 v) { return v.x.lo; }", "'float' has no members"},
        {"float f(float4 v) { return v[0]; }", "'[' needs an array or a pointer, this is 'float4'"},
        {"void f(float4 v) { v.xx = v.xy; }", "a component that is written can be named only once"},
        {"void f(float8 v) { v.lo.xx = v.s01; }", "a component that is written can be named only once"},
        {"void f(float16 v) { v.s01234 = v.s01234; }", "no vector has 5 components"},
        {"void f(float4 v) { v = (float4)(); }", "a vector needs values"},
        {"struct s { int a; }; int f(struct s x) { return x.b; }", "'struct s' has no member 'b'"},
        {"struct s { int a; }; int f(struct s* x) { return x.a; }", "'.' cannot follow a pointer; use '->'"},
        {"struct s { int a; }; int f(struct s x) { return x->a; }", "'->' needs a pointer"},
        {"int f(int x) { return *x; }", "'*' needs a pointer, this is 'int'"},
        {"int f(int x) { return x.y; }", "'int' has no members"},
        {"int f(int x) { return x(1); }", "'x' is a variable and cannot be called"},
        {"float f(int x) { return float(x); }", "a conversion is written (float)x or convert_float(x)"},
        {"struct t; int f(void) { struct t x; return 1; }", "'x' has an incomplete type"},
        {"struct s { struct s inner; };", "member 'inner' has an incomplete type"},
    };
    for (const Case& each : cases) {
        CAPTURE(each.source);
        const std::string error = error_of(each.source);
        CHECK_MESSAGE(error.find(each.message) != std::string::npos, error);
        CHECK(error.find("kernel.cl:") != std::string::npos);
    }
}

TEST_CASE("private memory: blocks side by side share it, tables and local memory are none of it") {
    CHECK(error_of("kernel void k(global int* p) { { int a[40000]; p[0] = a[1]; } { int b[40000]; p[1] = b[1]; } }") ==
          "");
    CHECK(error_of("constant int t[100000] = {1}; kernel void k(global int* p) { local int s[20000], u[60000]; }") ==
          "");
    CHECK(error_of("struct s { int a[40000]; }; kernel void k(global int* p) { struct s x = (struct s){{1}}; p[0] = "
                   "x.a[1]; }") == "");
    CHECK(error_of("int unused(int x) { int a[100000]; return a[x]; } kernel void k(global int* p) {}") == "");
}

TEST_CASE("what is no mistake") {
    for (const char* source : {
             "int f(int n) { return n % INT_MAX + (n << CHAR_BIT) + INT_MAX % n; }",
             "int f(int n, float x) { return x == n % 3 && x > 1 << 2; }",
             "int f(int n) { switch (n) { case INT_MIN: return 1; case sizeof(int): return 2; case 'a': return 3; } "
             "return 0; }",
             "kernel void k(global int* p) { int n = p[0]; constant int size = sizeof(n); p[1] = size; }",
             "int f(float4 v) { return vec_step(v) == 4 ? 1 : 0; } int g(float4 v) { if (vec_step(v) == 4) return 1; "
             "if (any(v > 1.0f)) return 2; return 0; }",
             "void f(global const float* x, global float* y) { global const float* p = x; p = x + 1; *y++ = *p; }",
             "kernel void k(global float* p) { local float t[4][4]; local float* row = t[1]; local float* one = "
             "&t[1][2]; "
             "row[0] = *one; global float* q = p ? p + 1 : p; *q = (float)(q - p); }",
             "float sum(local float* x) { return x[0]; } kernel void k(global float* p) { local float t[4]; "
             "p[0] = sum(t) + sum(t + 1) + sum(&t[2]); }",
             "void f(float4 v, int3 n) { float8 w = (float8)(v, v); w = (float8)(v.xy, v.zw, 1, 2, n.x, dot(v, v)); "
             "v = (float4)(v.xyz, length(v)); v = (float4)(clamp(v.xy, 0.0f, 1.0f), v.zw); n = (int3)(n.x); }",
             "int f(int x) { bool b = &x; int a[3] = {1, 2, 3,}, c[2][2] = {1, 2, 3, 4}; return b ? a[0] : c[0][1]; }",
             "void f(int n) { if (n) goto out; n = 1; out: n = 2; } void g(void) { return; }",
             "void f(float2 a, int2 b) { float2 c = a < 1.0f ? a : -a; b = a == c; b = (a < c) & (b == 1); "
             "b = isless(a, c) && b; }",
         }) {
        CAPTURE(source);
        CHECK(error_of(source) == "");
    }
}

TEST_CASE("texts that are no plain text") {
    using namespace std::string_literals;
    CHECK(error_of("\xef\xbb\xbfkernel void k(global int* p) {}") == "");
    CHECK(error_of("\xef\xbb\xbfint f(void) { return x; }").find("kernel.cl:1:22: error: 'x'") != std::string::npos);
    for (const std::string& source :
         {"int f(void)\n{ /* \0 */ return 1; }"s, "int f(void)\n{ // \0 \n return 1; }"s, "int f(void)\n{    \0}"s}) {
        const std::string error = error_of(source);
        CHECK_MESSAGE(error.find("kernel.cl:2:6: error: byte 0x00 in the program") != std::string::npos, error);
        CHECK(error.find("UTF-8") != std::string::npos);
    }
    Options options;
    options.embedded_includes = {{"lib.h", "\xef\xbb\xbfint one(void) { return 1; }\n"}};
    CHECK(error_of("#include \"lib.h\"\nint f(void) { return one(); }", options) == "");
}

TEST_CASE("errors show the line, with tabs kept, and say what to do") {
    Options options;
    options.file_name = "my/saxpy.cl";
    const std::string error = error_of("\nvoid f(void)\n{\n\tint x = 1 +\ty;\n}\n", options);
    CHECK(error.find("my/saxpy.cl:4:14: error: 'y' is not declared\n    \tint x = 1 +\ty;\n    \t           \t^\n") !=
          std::string::npos);
    CHECK(error.find("Correct the kernel's source") != std::string::npos);
}

TEST_CASE("a word as long as a page is shown by its beginning") {
    const std::string said = error_of("void f(void) { int a = " + std::string(1000000, '9') + "; }");
    CHECK(said.find("1:24: error: '9999") != std::string::npos);
    CHECK(said.find("...' is") != std::string::npos);
    CHECK(said.size() < 400);
}

TEST_CASE("an error within a macro is at its use, within an include in that file") {
    CHECK(error_of("#define BAD(x) (x + missing)\nint f(int a)\n{\n    return BAD(a);\n}")
              .find("kernel.cl:4:12: error: 'missing'") != std::string::npos);
    Options options;
    options.embedded_includes = {{"lib.h", "\nint broken(void) { return oops; }\n"}};
    CHECK(error_of("#include \"lib.h\"\n", options).find("lib.h:2:27: error: 'oops' is not declared") !=
          std::string::npos);
}

TEST_CASE("no text exhausts the stack") {
    const auto repeated = [](const char* what, std::size_t count) {
        std::string result;
        for (std::size_t i = 0; i < count; ++i)
            result += what;
        return result;
    };
    const std::size_t many = 100000;
    CHECK_FALSE(error_of("int f(void) { return " + repeated("(", many) + "1" + repeated(")", many) + "; }").empty());
    CHECK_FALSE(error_of("int f(void) { return " + repeated("-", many) + "1; }").empty());
    CHECK_FALSE(error_of("int f(void) { return " + repeated("1 ? 2 : ", many) + "1; }").empty());
    CHECK_FALSE(error_of("void f(void) " + repeated("{", many) + repeated("}", many)).empty());
    CHECK_FALSE(error_of("void f(void) {" + repeated("if (1) ", many) + ";}").empty());
    CHECK_FALSE(error_of("void f(int " + repeated("*", many) + "x) {}").empty());
    CHECK_FALSE(error_of("void f(int x" + repeated("[1]", many) + ") {}").empty());
    CHECK_FALSE(error_of(repeated("struct s { ", many) + repeated("}", many)).empty());
    CHECK_FALSE(error_of("__constant int x = " + repeated("{", many) + "1" + repeated("}", many) + ";").empty());
}

TEST_CASE("long blocks take time that grows with their length alone") {
    std::string text = "kernel void k(global int* p) { switch (p[0]) {";
    for (int i = 0; i < 20000; ++i)
        text += "case " + std::to_string(i) + ": p[1] = 1; break;";
    const std::clock_t before = std::clock(); // of this process alone: a busy machine does not matter
    CHECK(error_of(text + "} }").empty());
    CHECK(std::clock() - before < 10 * CLOCKS_PER_SEC); // minutes, where each statement looks at all that follow
}
