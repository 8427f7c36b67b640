#include "support.hpp"
#include <doctest/doctest.h>

using namespace devq::frontend;
using test::dense;
using test::program_text;

namespace {

/// What became of the statements of a helper with these parameters.
std::string body(const std::string& parameters, const std::string& statements) {
    const std::string text = dense(program_text("struct point { float x; int lo; float4 v; };\nvoid helper(" +
                                                parameters + ") { " + statements + " }"));
    const std::size_t open = text.find("){", text.find("helper(")) + 2;
    return text.substr(open, text.find("DEVQ_PROGRAM_END") - open - 1);
}

} // namespace

TEST_CASE("components: read and written") {
    CHECK(body("float4 v", "v.x = v.s3;") == "v.v[0]=v.v[3];");
    CHECK(body("float16 v", "v.sA = v.sf;") == "v.v[10]=v.v[15];");
    CHECK(body("float4 v", "v.xy = v.zw;") == "v.ref(devq_lanes<0,1>{})=v.get(devq_lanes<2,3>{});");
    CHECK(body("float8 v", "v.lo += v.odd;") == "v.ref(devq_lanes<0,1,2,3>{})+=v.get(devq_lanes<1,3,5,7>{});");
    CHECK(body("float4* p", "p->y = p[1].lo.x;") == "p->v[1]=p[1].v[0];");
    CHECK(body("float4* p", "(*p).x = (p[0] + p[1]).y;") == "(*p).v[0]=(p[0]+p[1]).v[1];");
    CHECK(body("float8 v", "v.hi.odd = v.lo.even.yx;") == "v.ref(devq_lanes<5,7>{})=v.get(devq_lanes<2,0>{});");
    CHECK(body("float4 v", "if (v.x == 1) v.w++;") == "if(v.v[0]==1){v.v[3]++;}");
}

TEST_CASE("components: members of structs keep their names") {
    CHECK(body("struct point q", "q.x = q.v.x + q.lo;") == "q.x=q.v.v[0]+q.lo;");
    CHECK(body("struct point* q", "q->v.hi.lo = q->v.zw.y;") == "q->v.v[2]=q->v.v[3];");
    CHECK(body("struct point* q, int i", "q[i].x = (q + i)->v.s1;") == "q[i].x=(q+i)->v.v[1];");
}

TEST_CASE("noinline: a function of its own, a kernel never") {
    const std::string text = dense(program_text("static __attribute__((__noinline__)) int apart(int a) { return a; }\n"
                                                "int within(int a) { return a; }\n"
                                                "__attribute__((noinline)) __kernel void k(__global int* p) {}"));
    CHECK(text.find("DEVQ_SEPARATE_MEMBERintapart(") != std::string::npos);
    CHECK(text.find("DEVQ_MEMBERintwithin(") != std::string::npos);
    CHECK(text.find("DEVQ_MEMBERvoidk(") != std::string::npos);
}

TEST_CASE("literals and casts") {
    CHECK(body("float2 a", "float4 v = (float4)(a, 1, 2);") == "float4v=devq_make<float4>(a,1,2);");
    CHECK(body("int a", "float4 v = (float4)(a);") == "float4v=devq_make<float4>(a);");
    CHECK(body("int a", "float v = (float)(a) + (float)a;") == "floatv=(float)(a)+(float)a;");
    CHECK(body("__global uchar* p", "__global const float4* q = (__global const float4*)(p + 4);") ==
          "constfloat4*q=(constfloat4*)(p+4);");
    CHECK(body("int i", "struct point q = (struct point){1, 2, (float4)(3)};") ==
          "structpointq=devq_type<structpoint>{1,2,devq_make<float4>(3)};");
    CHECK(body("float4 v", "int4 i = convert_int4_sat_rte(v); uint u = as_uint(v.x);") ==
          "int4i=devq_convert<int4,true,1>(v);uintu=devq_as<uint>(v.v[0]);");
    CHECK(body("int i", "size_t n = sizeof(float3) + sizeof i;") == "ulongn=sizeof(float3)+sizeofi;");
}

TEST_CASE("comparisons and logical operators are ints") {
    CHECK(body("int a", "size_t n = sizeof(a == 1) + sizeof !a + sizeof(a);") ==
          "ulongn=sizeof(+((a==1)))+sizeof(+(!a))+sizeof(a);");
    CHECK(body("int a, float4 v", "int n = max(a < 1, 2) + as_int(a && a) + any(v < v) + abs((!a)) + abs(a & 1);") ==
          "intn=max((+(a<1)),2)+devq_as<int>((+(a&&a)))+any(v<v)+abs((+((!a))))+abs(a&1);");
    CHECK(body("int a", "int n = abs(a ? a == 1 : a != 2) + abs(a ? a == 1 : 2) + abs((char)(a == 1));") ==
          "intn=abs((+(a?a==1:a!=2)))+abs(a?a==1:2)+abs((char)(a==1));");
    CHECK(body("int a", "int x[sizeof(1.0 == 2.0)], y[sizeof('a' + 1ul)], z[sizeof((char)1 + (char)2)];") ==
          "intx[4];inty[8];intz[4];");
}

TEST_CASE("a choice between pointers is a pointer") {
    CHECK(body("int a, int* p, int* q", "int x[2]; a = (a ? p : q)[1] + *(a ? x : p) + (a ? x : x)[0];") ==
          "intx[2];a=(a?p:q)[1]+*(a?x:p)+(a?x:x)[0];");
    CHECK(body("int a, struct point* p", "(a ? p : p + 1)->v.x = (a ? p : 0)->x;") == "(a?p:p+1)->v.v[0]=(a?p:0)->x;");
}

TEST_CASE("FP_CONTRACT OFF is told to host compilers") {
    const auto told = [](const std::string& pragma) {
        return write(*parse(pragma + "\nkernel void k(global float* p) { p[0] = p[1] * p[2] + p[3]; }", {}), {})
            .starts_with(no_contraction);
    };
    CHECK(told("#pragma OPENCL FP_CONTRACT OFF"));
    CHECK(told("#pragma  OPENCL  FP_CONTRACT  OFF"));
    CHECK(told("#pragma STDC FP_CONTRACT OFF"));
    CHECK_FALSE(told("#pragma OPENCL FP_CONTRACT ON"));
    CHECK_FALSE(told(""));
}

TEST_CASE("initialisers: elements by number, characters by string") {
    CHECK(body("int x", "int a[5] = {[1] = x, 7, [4] = {9}}, b[2] = {1, 2,};") ==
          "inta[5]={{},x,7,{},{9}};intb[2]={1,2};");
    CHECK(body("int x", "int a[] = {[3] = x, [0] = 2}; x = sizeof(a);") == "inta[4]={2,{},{},x};x=sizeof(a);");
    CHECK(body("int x", "struct point q = {.lo = 3, .v = (float4)(x)};") ==
          "structpointq={{},3,devq_make<float4>(x)};");
    CHECK(
        dense(
            program_text(
                "constant char s[] = \"a\\x41\\0b\\n\"; uchar f(int i) { uchar t[4] = \"abc\"; return s[i] + t[i]; }"))
            .find("DEVQ_CONSTANTchars[6]=\"a\\x41\\0b\\n\"") != std::string::npos);
}

TEST_CASE("?: is C++'s unless its condition may be a vector") {
    CHECK(body("int c, float4 v", "v = c > 1 ? v : -v;") == "v=c>1?v:-v;");
    CHECK(body("float4 c, float4 v", "v = c.x > 1 ? v : -v;") == "v=c.v[0]>1?v:-v;");
    CHECK(body("float4 c, float4 v", "v = dot(c, v) > 1 || any(c > v) ? v : -v;") == "v=dot(c,v)>1||any(c>v)?v:-v;");
    CHECK(body("int4 c, float4 v", "v = c ? v : -v;") == "v=DEVQ_SELECT((c),(v),(-v));");
    CHECK(body("float4 v", "v = v > 1.0f ? v : v < 0 ? -v : v;") ==
          "v=DEVQ_SELECT((v>1.0f),(v),(DEVQ_SELECT((v<0),(-v),(v))));");
    CHECK(body("int a, int b", "a = b ? a ? 1 : 2 : 3;") == "a=b?a?1:2:3;");
}

TEST_CASE("shifts: only counts that are no small literal are guarded") {
    CHECK(body("uint a, int b", "a = a << 3 | a >> b;") == "a=a<<3|a>>DEVQ_SHIFT>>b;");
    CHECK(body("uint a, int b", "a <<= b + 1; a >>= 2;") == "a<<=DEVQ_SHIFT<<=b+1;a>>=2;");
    CHECK(body("uint a", "a = 1u << 3 * a;") == "a=1u<<DEVQ_SHIFT<<3*a;");
    CHECK(body("uint a", "a = a << 40;") == "a=a<<DEVQ_SHIFT<<40;");
}

TEST_CASE("divisions: only divisors that may be 0 or -1 are guarded") {
    CHECK(body("int a, int b", "a = a / b * b % a;") == "a=a/DEVQ_DIVIDE/b*b%DEVQ_DIVIDE%a;");
    CHECK(body("int a", "a = a / 3 % 0x10u; a /= 2; a %= 7;") == "a=a/3%0x10u;a/=2;a%=7;");
    CHECK(body("int a", "enum { six = 6 }; const int n = 8; a = a / six % n / (n - 1);") ==
          "constintn=8;a=a/6%n/(n-1);");
    CHECK(body("int a", "a = a / 0; a = a % (-1); a = a / -a;") ==
          "a=a/DEVQ_DIVIDE/0;a=a%DEVQ_DIVIDE%(-1);a=a/DEVQ_DIVIDE/-a;");
    CHECK(body("int a, int b", "a /= b; a %= b + 1; a /= b ? 1 : 2;") ==
          "a/=DEVQ_DIVIDE/=b;a%=DEVQ_DIVIDE%=b+1;a/=DEVQ_DIVIDE/=b?1:2;");
    CHECK(body("float x, float y, int4 v", "x = x / y / 2.0f / (float)3; v = v / v;") == "x=x/y/2.0f/(float)3;v=v/v;");
    CHECK(body("int4 v, int n", "v.x /= n; v.y <<= n; v.xy %= n;") ==
          "v.ref(devq_lanes<0>{})/=DEVQ_DIVIDE/=n;v.ref(devq_lanes<1>{})<<=DEVQ_SHIFT<<=n;"
          "v.ref(devq_lanes<0,1>{})%=DEVQ_DIVIDE%=n;");
}

TEST_CASE("names: typedefs, enumerators, keywords, constants") {
    CHECK(body("int class, int new", "class += new;") == "user_class+=user_new;");
    CHECK(dense(program_text("typedef float real; enum { zero, five = 5, minus = -1 };\n"
                             "real f(real x) { real y[five] = {zero, minus}; return x + y[1] + M_PI_F + INT_MAX; }"))
              .find("floatf(floatx){floaty[5]={0,(-1)};returnx+y[1]+M_PI_F+INT_MAX;}") != std::string::npos);
    CHECK(dense(program_text("__constant float table[] = {1, 2};\nfloat f(int i) { __constant float table[1] = {3}; "
                             "return table[i]; }\nfloat g(int i) { return table[i]; }"))
              .find("returntable_1[i];") != std::string::npos);
}

TEST_CASE("the program's own names do not meet the preludes'") {
    CHECK(body("float length, float devq_x", "float step = length + devq_x;") == "floatstep=length+user_devq_x;");
}

TEST_CASE("names that are types or keywords elsewhere") {
    CHECK(body("int float4, int this", "int int8 = float4 + this;") == "intuser_int8=user_float4+user_this;");
    CHECK(dense(program_text("struct float4 { int new; }; int f(struct float4 x) { return x.new; }"))
              .find("f(structuser_float4_1x){returnx.user_new;}") != std::string::npos);
    CHECK(dense(program_text("typedef unsigned int uint; typedef unsigned char uchar; kernel void class(uint n) {}"))
              .find("voiduser_class(uintn)") != std::string::npos);
}

TEST_CASE("work-items: functions of the item") {
    CHECK(body("__global int* x", "x[get_global_id(0)] = get_local_size(1); barrier(CLK_LOCAL_MEM_FENCE);") ==
          "x[devq_item.get_global_id(0)]=devq_item.get_local_size(1);devq_item.barrier(CLK_LOCAL_MEM_FENCE);");
}

TEST_CASE("loops: unrolling") {
    const auto text = [](const std::string& statements) { return body("__global int* x, int n", statements); };
    CHECK(text("\n#pragma unroll\nfor (int i = 0; i < 40; i++) x[i] = 1;").find("DEVQ_UNROLL(41)for(") !=
          std::string::npos);
    CHECK(text("\n#pragma unroll 4\nfor (int i = 0; i < n; i++) x[i] = 1;").find("DEVQ_UNROLL(4)for(") !=
          std::string::npos);
    CHECK(text("\n#pragma unroll\nfor (int i = 0; i < n; i++) x[i] = 1;").find("DEVQ_UNROLL(16)for(") !=
          std::string::npos);
    CHECK(text("__attribute__((opencl_unroll_hint(2))) for (int i = 0; i < n; i++) x[i] = 1;")
              .find("DEVQ_UNROLL(2)for(") != std::string::npos);
    CHECK(text("for (int i = 0, *p = 0; i < n; i++) x[i] = 1;") == "{inti=0;int*p=0;for(;i<n;i++){x[i]=1;}}");
    CHECK(text("while (n) { n--; continue; } do n++; while (n < 3);") == "while(n){n--;continue;}do{n++;}while(n<3);");
}

TEST_CASE("lines: the C++ text leads back to the user's") {
    Options options;
    options.file_name = "dir/some \"file\".cl";
    const std::string text = program_text("int f(int a)\n{\n\n    return a\n        + 1;\n}\n", options);
    CHECK(text.find("#line 1 \"dir/some \\\"file\\\".cl\"\n") != std::string::npos);
    CHECK(text.find("f(int a) {\n\n\n    return a\n        + 1; }") != std::string::npos);
}

TEST_CASE("compiler logs: in the user's terms") {
    const std::string log =
        "kernel.cl: In instantiation of ‘void devq_code::{anonymous}::devq_program<devq_item_type>::k(float4*)’:\n"
        "devq/entries.hpp:5:1:   required from here\n"
        "kernel.cl:3:9: error: cannot convert ‘devq_code::{anonymous}::vec<float, 4>’ {aka ‘vec<float, 4>’} to "
        "‘vec<unsigned int, 4>’\n"
        "    3 |     x = y;\n"
        "devq/host_vector.hpp:7:1: note: candidate: something\n"
        "    7 | inner\n"
        "kernel.cl:3:9: error: cannot convert ‘devq_code::{anonymous}::vec<float, 4>’ {aka ‘vec<float, 4>’} to "
        "‘vec<unsigned int, 4>’\n"
        "    3 |     x = y;\n";
    CHECK(explain_compiler_log(log) ==
          "kernel.cl:3:9: error: cannot convert ‘float4’ to ‘uint4’\n    3 |     x = y;\n");
    CHECK(explain_compiler_log("cannot start\n") == "cannot start\n");
    CHECK(explain_compiler_log("").empty());
}

TEST_CASE("characters are of type int") {
    const std::string text = dense(program_text("kernel void k(global int* p) { p[0] = sizeof('a') + 'b' + '\\n'; }"));
    CHECK(text.find("sizeof(97)") != std::string::npos);
    CHECK(text.find("+98+10") != std::string::npos);
}
