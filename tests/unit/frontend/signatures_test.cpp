#include "support.hpp"
#include <doctest/doctest.h>

using namespace devq::frontend;
using test::error_of;

TEST_CASE("signatures: spaces, kinds, sizes and names") {
    const auto module = parse(R"(
        typedef unsigned char byte;
        typedef __global const float4* input_t;
        struct shape { long size[8]; long stride[8]; int rank; };
        typedef struct { char a; float3 b; short c; } mixed;
        typedef struct __attribute__((packed)) { char a; int b; } packed_t;
        union both { double d; uchar16 u; };
        __kernel void many(__global float* restrict a, const __constant int* b, __local uint2 c[], input_t d,
                           const struct shape s, mixed m, packed_t p, union both u, byte x, unsigned long y,
                           __global half* z, float3 v, __global void* w, const uint4 q) {}
    )",
                              {});
    REQUIRE(signatures(*module).size() == 1);
    const auto& parameters = signatures(*module)[0].parameters;
    struct Row {
        const char* name;
        const char* type;
        Space space;
        bool is_const;
        ValueKind kind;
        std::size_t size;
    };
    const Row expected[] = {
        {"a", "float*", Space::global, false, ValueKind::floating, 4},
        {"b", "const int*", Space::constant, true, ValueKind::signed_integer, 4},
        {"c", "uint2*", Space::local, false, ValueKind::unsigned_integer, 8},
        {"d", "const float4*", Space::global, true, ValueKind::floating, 16},
        {"s", "const struct shape", Space::value, false, ValueKind::structure, 136},
        {"m", "struct (unnamed)", Space::value, false, ValueKind::structure, 48},
        {"p", "struct (unnamed)", Space::value, false, ValueKind::structure, 5},
        {"u", "union both", Space::value, false, ValueKind::structure, 16},
        {"x", "uchar", Space::value, false, ValueKind::unsigned_integer, 1},
        {"y", "ulong", Space::value, false, ValueKind::unsigned_integer, 8},
        {"z", "half*", Space::global, false, ValueKind::floating, 2},
        {"v", "float3", Space::value, false, ValueKind::floating, 16},
        {"w", "void*", Space::global, false, ValueKind::signed_integer, 0},
        {"q", "const uint4", Space::value, false, ValueKind::unsigned_integer, 16},
    };
    REQUIRE(parameters.size() == std::size(expected));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        CAPTURE(expected[i].name);
        CHECK(parameters[i].name == expected[i].name);
        CHECK(parameters[i].type == expected[i].type);
        CHECK(parameters[i].space == expected[i].space);
        CHECK(parameters[i].is_const == expected[i].is_const);
        CHECK(parameters[i].kind == expected[i].kind);
        CHECK(parameters[i].size == expected[i].size);
    }
}

TEST_CASE("signatures: barriers through helpers, local memory, group sizes") {
    const auto module = parse(R"(
        void inner(void) { barrier(CLK_LOCAL_MEM_FENCE); }
        void outer(int deep);
        __kernel void through(__global int* x) { outer(1); }
        void outer(int deep) { inner(); }
        __kernel void none(__global int* x) { x[0] = 1; }
        __kernel __attribute__((reqd_work_group_size(8, 4, 2))) void fixed(__global int* x) {
            __local float tile[16][17];
            __local char c;
            __local float4 v[2], w;
            tile[0][0] = 1; c = 2; w = v[0];
        }
        __kernel void copies(__global int* x) {
            __local int y[4];
            event_t e = async_work_group_copy(y, x, (size_t)4, (event_t)0);
            wait_group_events(1, &e);
        }
    )",
                              {});
    const auto& kernels = signatures(*module);
    REQUIRE(kernels.size() == 4);
    CHECK(kernels[0].name == "through");
    CHECK(kernels[0].uses_barrier);
    CHECK_FALSE(kernels[1].uses_barrier);
    CHECK(kernels[1].local_bytes == 0);
    CHECK(kernels[2].required_group == std::array<std::size_t, 3>{8, 4, 2});
    CHECK(kernels[2].local_bytes >= 16 * 17 * 4 + 1 + 48);
    CHECK(kernels[2].local_bytes <= 16 * 17 * 4 + 16 + 48);
    CHECK(kernels[3].uses_barrier);
}

TEST_CASE("signatures: layout of structs in C") {
    const auto size_of_struct = [](const std::string& body) {
        const auto module = parse("struct s {" + body + "}; __kernel void k(struct s x) {}", {});
        return signatures(*module)[0].parameters[0].size;
    };
    CHECK(size_of_struct("char a; double b; char c;") == 24);
    CHECK(size_of_struct("char a; char b; short c;") == 4);
    CHECK(size_of_struct("float3 a; float b;") == 32);
    CHECK(size_of_struct("char a[3]; int b[2];") == 12);
    CHECK(size_of_struct("struct { char a; int b; } in[2]; char c;") == 20);
    CHECK(size_of_struct("enum { one, two } e; char c;") == 8);
    CHECK(size_of_struct("int a[sizeof(float4) / 4 + (1 << 2)];") == 32);
    CHECK(size_of_struct("float16 a; char b;") == 128);
}

TEST_CASE("signatures: what kernels cannot take") {
    const auto fails = [](std::string_view source, std::string_view message) {
        const std::string error = error_of(source);
        CAPTURE(source);
        CHECK_MESSAGE(error.find(message) != std::string::npos, error);
    };
    fails("__kernel void k(float* x) {}", "1:24: error: parameter 'x' of kernel 'k' points to private memory");
    fails("__kernel void k(__global float** x) {}", "pointer to pointers");
    fails("__kernel void k(bool x) {}", "cannot have type 'bool'");
    fails("__kernel void k(half x) {}", "cannot have type 'half'");
    fails("struct s { __global int* p; }; __kernel void k(struct s x) {}", "holds pointers");
    fails("__kernel int k(int x) { return x; }", "must return void");
    fails("struct t; __kernel void k(struct t x) {}", "incomplete");
    fails("__kernel void a(int x) { __local int y; y = x; } __kernel void b(int x) { a(x); }", "cannot be called");
}
