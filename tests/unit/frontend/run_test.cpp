// Kernels compiled by the host compiler and run: what each construct computes, in groups of one and of many.
#include "support.hpp"
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>

using namespace devq::frontend::test;
using devq::frontend::Options;

namespace {

// Each kernel without parameters beyond `out` fills it from one work-item; the expected values are beside it.
const char* const source = R"(
#define LANES4(v) (v).x, (v).y, (v).z, (v).w
void put4(__global int* out, int4 v) { out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w; }
void put4f(__global float* out, float4 v) { vstore4(v, 0, out); }

__kernel void literals(__global int* out) {
    put4(out, (int4)(1, 2, 3, 4));
    put4(out + 4, (int4)(7));
    const int2 a = (int2)(5, 6);
    put4(out + 8, (int4)(a, a.yx));
    put4(out + 12, (int4)(0, a, 9));
    const int8 b = (int8)((int4)(1, 2, 3, 4), (int4)(5, 6, 7, 8));
    out[16] = b.s7; out[17] = b.hi.x; out[18] = b.even.w; out[19] = b.odd.lo.y;
    const int3 c = (int3)(1, a);
    out[20] = c.z; out[21] = (int)sizeof(int3); out[22] = (int)sizeof(c.xy); out[23] = ((int16)(3)).sf;
}

__kernel void swizzles(__global int* out) {
    int4 v = (int4)(1, 2, 3, 4);
    v.xy = v.zw;          // 3 4 3 4
    v.s32 += (int2)(10, 20); // 3 4 23 14
    v.lo = v.hi.yx;       // 14 23 23 14
    v.odd *= 2;           // 14 46 23 28
    v.w++;                // 29
    v.xz -= 1;            // 13 46 22 29
    put4(out, v);
    int2 w = (int2)(1, 2);
    w.lo = 5; w.hi += 7;
    out[4] = w.x; out[5] = w.y;
    int4 grid[2][2];
    grid[1][0] = (int4)(8); grid[1][0].z = 9;
    int4* p = &grid[1][0];
    p->y = 6; (*p).x = 5;
    put4(out + 6, grid[1][0]);
    int16 big = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    put4(out + 10, big.sFa50);
    big.s0123 = big.scdef;
    put4(out + 14, big.lo.lo);
    int3 three = (int3)(1, 2, 3);
    three.yz = three.xy;
    out[18] = three.x; out[19] = three.y; out[20] = three.z; out[21] = big.s89ab.hi.y;
}

__kernel void operators(__global int* out) {
    const int4 a = (int4)(7, -7, 8, 0), b = (int4)(2, 2, -3, 5);
    put4(out, a + b * 2 - 1);
    put4(out + 4, a / b);
    put4(out + 8, a % b);
    put4(out + 12, a > b);
    put4(out + 16, (a > 0) && (b > 0));
    put4(out + 20, !a);
    put4(out + 24, ~a ^ (a & b) | 1);
    const int3 zero_lane = (int3)(9, 9, 9) / (int3)(2, 3, 4); // the fourth lane must not divide by zero
    out[28] = zero_lane.x + zero_lane.y + zero_lane.z;
    const float4 f = (float4)(1.5f, -0.0f, NAN, 2.0f);
    put4(out + 29, f == f);
    put4(out + 33, -f < 1.0f);
    int4 c = a;
    c += 1; c <<= 2; c |= b; ++c; c--;
    put4(out + 37, c);
    const uchar4 bytes = (uchar4)(250, 1, 2, 3) + (uchar)10;
    out[41] = bytes.x; out[42] = (uchar)250 + (uchar)10; // vectors wrap, scalars are promoted
}

__kernel void shifts(__global uint* out, const int by) { // by = 35
    out[0] = 1u << by; out[1] = 0x80000000u >> by; out[2] = (uint)(-16 >> by);
    uint x = 3; x <<= by; out[3] = x;
    uint4 v = (uint4)(1) << (uint4)(0, 31, 32, by);
    vstore4(v, 1, out);
    ulong l = 1ul << by; out[8] = (uint)(l >> 32);
    out[9] = 1u + 1u << by - 33; // + binds tighter: 2 << 2
    uchar4 c = (uchar4)(1) << (uchar4)(7, 8, 9, 1);
    out[10] = c.x; out[11] = c.y; out[12] = c.z; out[13] = c.w;
    uchar small = 200; small <<= 1; out[14] = small;
    short s = -32768; s >>= by - 32; out[15] = (ushort)s;
}

int touch(__global int* out, int i) { out[i]++; return i; }
__kernel void ternaries(__global int* out, const int one) {
    out[0] = one ? 5 : 6;
    out[20] = 0; out[21] = 0;
    const int lazy = one ? touch(out, 20) : touch(out, 21); // only one side is evaluated
    out[1] = lazy;
    const int4 mask = (int4)(-1, 0, 1, (int)0x80000000); // the highest bit decides
    put4(out + 2, mask ? (int4)(1) : (int4)(2, 3, 4, 5));
    put4(out + 6, mask < 0 ? (int4)(1, 2, 3, 4) : 9);
    const float4 f = (float4)(1, 2, 3, 4);
    put4(out + 10, convert_int4(f > 2.5f ? f : -f));
    put4(out + 14, one > 0 ? (int4)(4) : (int4)(5));
    put4(out + 16, select((int4)(1), (int4)(2), mask));
    out[20] = out[20]; out[22] = select(7, 8, one);
}

__kernel void conversions(__global int* out) {
    const float4 f = (float4)(2.5f, -2.5f, 300.7f, -1e10f);
    put4(out, convert_int4(f.xyxy));
    put4(out + 4, convert_int4_rte(f.xyxy));
    put4(out + 8, (int4)(convert_int_rtp(2.1f), convert_int_rtn(-2.1f), convert_int_rtz(-2.9f), convert_int_rte(3.5f)));
    const uchar4 u = convert_uchar4_sat(f);
    put4(out + 12, convert_int4(u));
    const char4 c = convert_char4_sat_rte(f);
    put4(out + 16, convert_int4(c));
    put4(out + 20, (int4)(convert_int_sat(3e10f), convert_int_sat(-3e10f), convert_int_sat(NAN), convert_int_sat(2147483520.0f)));
    put4(out + 24, (int4)(convert_uchar_sat(-5), convert_uchar_sat(300), convert_char_sat(200u), convert_short_sat(-40000)));
    out[28] = convert_uint_sat(5000000000ul) == UINT_MAX; out[29] = as_int(1.0f); out[30] = (int)as_uint2((float2)(0.0f, -2.0f)).y;
    out[31] = as_int((uchar4)(1, 2, 3, 4));
    out[32] = as_int(convert_float_rtz(16777217)); out[33] = as_int(convert_float_rtp(16777217)); out[34] = as_int(convert_float_rtn(-16777217));
    out[35] = as_int(convert_float_rtp(0.1)); out[36] = as_int(convert_float_rtn(0.1)); out[37] = convert_int(convert_long_sat(1e30f) >> 32);
    const uint3 q = convert_uint3((float3)(1.0f, 2.0f, 3.9f));
    out[38] = (int)(q.x + q.y * 10 + q.z * 100);
}

__kernel void integers(__global int* out) {
    out[0] = add_sat((char)100, (char)100); out[1] = sub_sat(-2147483647, 2); out[2] = (int)add_sat(4000000000u, 4000000000u);
    out[3] = mul_hi(0x40000000, 8); out[4] = (int)mul_hi(0x80000000u, 6u); out[5] = (int)mul_hi(1ul << 63, 6ul); out[6] = (int)mul_hi(-1l << 62, 8l);
    out[7] = rotate(0x40000001, 2); out[8] = clz((uchar)1); out[9] = clz(1); out[10] = clz(0u); out[11] = popcount(255u);
    out[12] = (int)abs(-5); out[13] = (int)abs_diff(-2147483647, 2147483647); out[14] = hadd(7, 10); out[15] = rhadd(7, 10);
    out[16] = mad24(3, 4, 5); out[17] = mul24(-3, 4); out[18] = upsample((short)1, (ushort)2); out[19] = mad_hi(0x40000000, 8, 1);
    out[20] = mad_sat(0x40000000, 4, 1); out[21] = mad_sat(-0x40000000, 4, 1); out[22] = max(3, -4); out[23] = clamp(9, 1, 5);
    const int4 v = min((int4)(1, 5, 3, 7), 4);
    put4(out + 24, v);
    out[28] = any((int2)(0, -1)); out[29] = all((int2)(0, -1)); out[30] = any((int2)(0, 1)); out[31] = bitselect(0xf0, 0x0f, 0x3c);
    const int4 s = shuffle((int4)(10, 20, 30, 40), (uint4)(3, 2, 5, 0));
    put4(out + 32, s);
    const int2 t = shuffle2((int4)(10, 20, 30, 40), (int4)(50, 60, 70, 80), (uint2)(7, 1));
    out[36] = t.x; out[37] = t.y; out[38] = mad_sat(1l << 62, 2l, -1l) == LONG_MAX; out[39] = vec_step(s) * 100 + vec_step(float3) * 10 + vec_step(ulong);
    out[40] = (int)(mad_sat(3ul, 5ul, 7ul)); out[41] = (int)rotate((uchar)0x81, (uchar)1); out[42] = sub_sat(3u, 5u) == 0;
}

__kernel void floats(__global float* out, const float nan_value, const float one) {
    out[0] = fmax(nan_value, one); out[1] = fmax(one, nan_value); out[2] = fmin(nan_value, one); out[3] = fmin(3.0f, one);
    out[4] = isnan(nan_value); out[5] = isinf(one / 0.0f); out[6] = isfinite(one); out[7] = signbit(-0.0f * one); out[8] = isnormal(1e-40f * one);
    const float4 v = (float4)(one, nan_value, INFINITY, -INFINITY);
    put4f(out + 9, convert_float4(isnan(v))); put4f(out + 13, convert_float4(isinf(v))); put4f(out + 17, convert_float4(isfinite(v)));
    out[21] = clamp(7.0f, one, 2.0f); out[22] = mix(one, 3.0f, 0.25f); out[23] = step(2.0f, one); out[24] = smoothstep(0.0f, 2.0f, one);
    out[25] = sign(-one); out[26] = degrees(one); out[27] = dot((float3)(1, 2, 3), (float3)(4, 5, 6)); out[28] = length((float2)(3, 4));
    const float4 c = cross((float4)(1, 0, 0, 0), (float4)(0, 1, 0, 0));
    out[29] = c.z; out[30] = normalize((float2)(0, 5)).y; out[31] = distance((float2)(1, 1), (float2)(4, 5));
    out[32] = mad(2.0f, 3.0f, one); out[33] = fma(2.0f, 3.0f, one); out[34] = floor(-1.5f * one); out[35] = ceil(-1.5f * one);
    out[36] = round(-1.5f * one); out[37] = rint(2.5f * one); out[38] = trunc(-1.5f * one); out[39] = fabs(-one); out[40] = copysign(2.0f, -one);
    out[41] = pow(2.0f, 10.0f * one); out[42] = pown(2.0f * one, -2); out[43] = rootn(27.0f * one, 3); out[44] = hypot(3.0f, 4.0f * one);
    float whole; out[45] = fract(2.75f * one, &whole); out[46] = whole; out[47] = modf(-2.75f * one, &whole); out[48] = whole;
    int e; out[49] = frexp(12.0f * one, &e); out[50] = e; out[51] = ldexp(one, 5); out[52] = ilogb(9.0f * one);
    float cosine; out[53] = sincos(0.5f * one, &cosine); out[54] = cosine; out[55] = sinpi(0.5f * one); out[56] = cospi(one); out[57] = atan2(one, one);
    out[58] = fdim(5.0f, one); out[59] = fmod(5.5f, 2.0f * one); out[60] = remainder(5.0f, 3.0f * one); out[61] = native_exp(one); out[62] = half_sqrt(4.0f * one);
    float4 wholes; const float4 parts = fract((float4)(1.25f, -1.25f, 3, 0) * one, &wholes);
    put4f(out + 63, parts); put4f(out + 67, wholes);
    put4f(out + 71, fma((float4)(1, 2, 3, 4), (float4)(one), (float4)(1))); put4f(out + 75, fmax((float4)(1, nan_value, 3, 4), 2.0f));
    out[79] = fma(1.0f + 0x1p-12f * one, 1.0f + 0x1p-12f * one, -(1.0f + 0x1p-11f * one)); // exact in the middle
    out[80] = isgreater((float2)(1, 2), (float2)(2, 1)).y; out[81] = maxmag(-3.0f, 2.0f * one); out[82] = nan(5u) != nan(5u);
}

__constant float weights[4] = {0.5f, 1.0f, 2.0f, INFINITY};
__constant int4 corner[] = {(int4)(1, 2, 3, 4), (int4)(5)};
struct nested { char tag; struct { short a; float3 b; } in[2]; };
__constant struct nested fixed = {'x', {{1, (float3)(1, 2, 3)}, {2, (float3)(4)}}};
__constant float pace = 3.0f;
struct vec { int vec, operator; };
__kernel void constants(__global float* out, const int i) {
    struct vec vec = {1, 2};
    vec.operator += vec.vec;
    __constant int own[3] = {1, 2, 3};
    out[0] = weights[i]; out[1] = own[i]; out[2] = corner[1].w + corner[0].z; out[3] = fixed.in[1].b.y + fixed.tag; out[4] = weights[3];
    const float local_table[] = {1.0f, 2.0f, 3.0f};
    out[6] = pace + vec.operator;
    out[5] = local_table[i] + sizeof(local_table) / sizeof(local_table[0]);
}

struct shape { long size[8]; long stride[8]; int rank; char name[5]; float3 scale; };
__kernel void structs(__global float* out, const struct shape s, const float4 v, const char c) {
    struct shape t = s;
    t.stride[2] *= 2;
    out[0] = s.size[7]; out[1] = t.stride[2]; out[2] = s.rank; out[3] = s.name[4]; out[4] = s.scale.z; out[5] = v.w; out[6] = c; out[7] = (int)sizeof(struct shape);
    struct shape* p = &t;
    out[8] = p->scale.y + (*p).rank;
    union { float f; uint u; } both;
    both.f = 1.0f;
    out[9] = both.u == 0x3f800000u;
    const struct nested n = (struct nested){'a', {{3, (float3)(1)}, {4, (float3)(2)}}};
    out[10] = n.in[1].a + n.in[0].b.z;
}

__kernel void memory(__global float* out, __global const float* in, __global half* halves, __global uchar* bytes) {
    put4f(out, vload4(0, in + 1)); // not aligned
    vstore3(vload3(1, in), 2, out + 1);
    vstore_half_rte(0.1f, 0, halves); vstore_half4_rte((float4)(1.0f, 65504.0f, 1e-7f, -0.0f), 1, halves); vstore_half2(vload2(0, in), 4, halves);
    vstore_half3_rtz((float3)(0.1f, 0.2f, -0.3f), 4, halves);
    out[20] = vload_half(0, halves); put4f(out + 21, vload_half4(1, halves));
    const uchar8 b = vload8(0, bytes + 1);
    vstore8(b.s76543210, 1, bytes + 1);
    __global uint* words = (__global uint*)bytes;
    out[25] = words[0];
    float own[8];
    for (int i = 0; i < 8; i++) own[i] = i;
    out[26] = vload2(3, own).y; vstore4((float4)(9), 1, own); out[27] = own[4];
}

__kernel void control(__global int* out, const int n) { // n = 5
    int i, sum = 0;
    for (i = 0; i < n; i++) { if (i == 3) continue; sum += i; }
    out[0] = sum; out[1] = i;
    int steps = 0;
    do { steps++; if (steps == 4) break; } while (1);
    out[2] = steps;
    for (int a = 0, b = 10; a < b; a++, b--) out[3] = a * 100 + b;
    switch (n) { case 4: out[4] = 1; break; case 5: { int t = 3; out[4] = t; } case 6: out[5] = 2; break; default: out[6] = 1; }
    switch (n + 10) { int before; case 1: before = 1; out[7] = before; break; default: out[7] = 4; int after = 2; out[8] = after; break; case 99: out[8] = 7; }
    int j = 0;
again:
    if (j < 3) { j++; goto again; }
    out[9] = j;
    int x = 1, y = (x++, x + 1);
    out[10] = x * 10 + y;
#pragma unroll
    for (int k = 0; k < 4; k++) out[11 + k] = k * k;
    while (j) if (j == 1) j = 0; else j--;
    out[15] = j;
    for (;;) { if (++j > 6) break; }
    out[16] = j;
    if (n > 3 && j > 100) out[17] = 1; else if (n == 5) out[17] = 2; else out[17] = 3;
}

#define WIDE(T, n) T##n
#define COUNT(...) COUNT_(__VA_ARGS__, 3, 2, 1)
#define COUNT_(a, b, c, n, ...) n
__kernel void macros(__global int* out) { WIDE(int, 4) v = (WIDE(int, 4))(3); out[0] = v.y; out[1] = COUNT(a, b); out[2] = __LINE__ > 10; }

int late(int x);
__kernel void helpers(__global int* out) { out[0] = late(20); int a = 3; void* p = &a; out[1] = *(int*)p; }
int late(int x) { return x + 1; }
)";

/// One program a way of compiling; both are built once.
const HostProgram& program(bool single) {
    static const HostProgram one(source, true, "-O1"), many(source, false, "-O1");
    return single ? one : many;
}

template <class T>
using Row = std::vector<T>;

void check(const std::string& name, const Row<double>& expected, const auto& outputs) {
    CAPTURE(name);
    REQUIRE(outputs.size() >= expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        if (std::isnan(expected[i]))
            CHECK(std::isnan(static_cast<double>(outputs[i])));
        else if (std::isinf(expected[i]))
            CHECK(static_cast<double>(outputs[i]) == expected[i]);
        else
            CHECK(static_cast<double>(outputs[i]) == doctest::Approx(expected[i]).epsilon(2e-7));
    }
}

template <class T>
void run_and_check(const std::string& name, const Row<double>& expected, std::vector<Argument> more = {}) {
    for (const bool single : {true, false}) {
        CAPTURE(single);
        std::vector<T> out(128, T(-77));
        std::vector<Argument> arguments{Argument::of(out)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        program(single).run(name, arguments, {1, 1, 1});
        check(name, expected, out);
    }
}

bool no_compiler() {
    if (host_compiler().empty())
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
    return host_compiler().empty();
}

} // namespace

TEST_CASE("run: vectors") {
    if (no_compiler())
        return;
    run_and_check<int>("literals", {1, 2, 3, 4, 7, 7, 7, 7, 5, 6, 6, 5, 0, 5, 6, 9, 8, 5, 7, 4, 6, 16, 8, 3});
    run_and_check<int>("swizzles", {13, 46, 22, 29, 5, 9, 5, 6, 9, 8, 15, 10, 5, 0, 12, 13, 14, 15, 1, 1, 2, 11});
    run_and_check<int>("operators", {10,
                                     -4,
                                     1,
                                     9,
                                     3,
                                     -3,
                                     -2,
                                     0,
                                     1,
                                     -1,
                                     2,
                                     0,
                                     -1,
                                     0,
                                     -1,
                                     0,
                                     -1,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     -1,
                                     (~7 ^ (7 & 2)) | 1,
                                     (~-7 ^ (-7 & 2)) | 1,
                                     (~8 ^ (8 & -3)) | 1,
                                     -1,
                                     4 + 3 + 2,
                                     -1,
                                     -1,
                                     0,
                                     -1,
                                     -1,
                                     -1,
                                     0,
                                     -1,
                                     8 * 4 | 2,
                                     -6 * 4 | 2,
                                     9 * 4 | -3,
                                     1 * 4 | 5,
                                     4,
                                     260});
}

TEST_CASE("run: shifts go modulo the width") {
    if (no_compiler())
        return;
    int by = 35;
    run_and_check<std::uint32_t>(
        "shifts", {8, 0x10000000, double(std::uint32_t(-2)), 24, 1, 0x80000000, 1, 8, 8, 8, 128, 1, 2, 2, 144, 0xf000},
        {Argument::value(by)});
}

TEST_CASE("run: ?: and select") {
    if (no_compiler())
        return;
    int one = 1;
    run_and_check<int>("ternaries", {5, 20, 1, 3, 4, 1, 1, 9, 9, 4, -1, -2, 3, 4, 4, 4, 2, 1, 1, 2, 1, 0, 8},
                       {Argument::value(one)});
}

TEST_CASE("run: conversions") {
    if (no_compiler())
        return;
    const auto bits = [](float x) {
        int result;
        std::memcpy(&result, &x, sizeof result);
        return double(result);
    };
    run_and_check<int>("conversions", {2,
                                       -2,
                                       2,
                                       -2,
                                       2,
                                       -2,
                                       2,
                                       -2,
                                       3,
                                       -3,
                                       -2,
                                       4,
                                       2,
                                       0,
                                       255,
                                       0,
                                       2,
                                       -2,
                                       127,
                                       -128,
                                       2147483647,
                                       -2147483648.0,
                                       0,
                                       2147483520,
                                       0,
                                       255,
                                       127,
                                       -32768,
                                       1,
                                       bits(1.0f),
                                       bits(-2.0f),
                                       0x04030201,
                                       bits(16777216.0f),
                                       bits(16777218.0f),
                                       bits(-16777218.0f),
                                       bits(0.1f),
                                       bits(std::nextafter(0.1f, 0.0f)),
                                       0x7fffffff,
                                       321});
}

TEST_CASE("run: integer functions") {
    if (no_compiler())
        return;
    run_and_check<int>("integers", {127,        -2147483648.0,
                                    -1,         2,
                                    3,          3,
                                    -2,         5,
                                    7,          31,
                                    32,         8,
                                    5,          -2,
                                    8,          9,
                                    17,         -12,
                                    65538,      3,
                                    2147483647, -2147483648.0,
                                    3,          5,
                                    1,          4,
                                    3,          4,
                                    1,          0,
                                    0,          0xcc,
                                    40,         30,
                                    20,         10,
                                    80,         20,
                                    1,          441,
                                    22,         3,
                                    1});
}

TEST_CASE("run: floating point functions") {
    if (no_compiler())
        return;
    float nan_value = NAN, one = 1.0f;
    run_and_check<float>(
        "floats",
        {1,  1,           1,    1,           1,           1,    1,          1,           0,  0,
         -1, 0,           0,    0,           0,           -1,   -1,         -1,          0,  0,
         0,  2,           1.5,  0,           0.5,         -1,   57.2957795, 32,          5,  1,
         1,  5,           7,    7,           -2,          -1,   -2,         2,           -1, 1,
         -2, 1024,        0.25, 3,           5,           0.75, 2,          -0.75,       -2, 0.75,
         4,  32,          3,    0.479425539, 0.877582562, 1,    -1,         0.785398163, 4,  1.5,
         -1, 2.718281828, 2,    0.25,        0.75,        0,    0,          1,           -2, 3,
         0,  2,           3,    4,           5,           2,    2,          3,           4,  std::ldexp(1.0, -24),
         -1, -3,          1},
        {Argument::value(nan_value), Argument::value(one)});
}

TEST_CASE("run: constants, structs by value, memory, control, macros, helpers") {
    if (no_compiler())
        return;
    int i = 2, five = 5;
    run_and_check<float>("constants", {2, 3, 8, 4 + 'x', INFINITY, 6, 6}, {Argument::value(i)});
    struct Shape {
        std::int64_t size[8], stride[8];
        std::int32_t rank;
        char name[5];
        alignas(16) float scale[4];
    } shape{};
    static_assert(sizeof(Shape) == 160);
    shape.size[7] = 70;
    shape.stride[2] = 21;
    shape.rank = 6;
    shape.name[4] = 'n';
    shape.scale[1] = 0.5f;
    shape.scale[2] = 1.25f;
    alignas(16) float v[4] = {0, 0, 0, 9};
    char c = -3;
    run_and_check<float>("structs", {70, 42, 6, 'n', 1.25, 9, -3, 160, 6.5, 1, 5},
                         {Argument::value(shape), Argument::value(v), Argument::value(c)});
    run_and_check<int>("control", {7, 5, 4, 406, 3, 2, -77, 4, 2, 3, 23, 0, 1, 4, 9, 0, 7, 2}, {Argument::value(five)});
    run_and_check<int>("macros", {3, 2, 1});
    run_and_check<int>("helpers", {21, 3});
}

TEST_CASE("run: loads and stores of any alignment") {
    if (no_compiler())
        return;
    std::vector<float> in(16);
    std::iota(in.begin(), in.end(), 1.0f);
    std::vector<std::uint16_t> halves(32);
    std::vector<std::uint8_t> bytes(32);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t(0));
    run_and_check<float>("memory", {2, 3, 4, 5, -77, -77, -77, 4, 5, 6, -77},
                         {Argument::of(in), Argument::of(halves), Argument::of(bytes)});
    std::vector<float> out(64, -77.0f);
    program(true).run("memory", {Argument::of(out), Argument::of(in), Argument::of(halves), Argument::of(bytes)},
                      {1, 1, 1});
    CHECK(halves[0] == 0x2e66);
    CHECK(std::vector<std::uint16_t>(halves.begin() + 4, halves.begin() + 10) ==
          std::vector<std::uint16_t>{0x3c00, 0x7bff, 0x0002, 0x8000, 0x3c00, 0x4000});
    CHECK(std::vector<std::uint16_t>(halves.begin() + 12, halves.begin() + 15) ==
          std::vector<std::uint16_t>{0x2e66, 0x3266, 0xb4cc});
    check("memory", {0.0999755859, 1, 65504, std::ldexp(2.0, -24), 0, 50462976, 7, 9},
          std::vector<float>(out.begin() + 20, out.end()));
    CHECK(std::vector<std::uint8_t>(bytes.begin() + 9, bytes.begin() + 17) ==
          std::vector<std::uint8_t>{8, 7, 6, 5, 4, 3, 2, 1});
}
