// Integer division where OpenCL leaves the result undefined: here x / 0 is x, x % 0 is 0, the least number divided by
// -1 is itself, and nothing traps.
#include "support.hpp"
#include <doctest/doctest.h>
#include <limits>
#include <random>

using namespace devq::frontend::test;

namespace {

const char* const source = R"(
#define ALL(T) \
__kernel void scalar_##T(__global T* out, __global const T* a, __global const T* b) { \
    const int i = get_global_id(0); \
    T x = a[i], y = a[i]; \
    x /= b[i]; y %= b[i]; \
    out[4 * i] = a[i] / b[i]; out[4 * i + 1] = a[i] % b[i]; out[4 * i + 2] = x; out[4 * i + 3] = y; \
} \
__kernel void vector_##T(__global T* out, __global const T* a, __global const T* b) { \
    const int i = get_global_id(0); \
    T##4 x = (T##4)(a[i]), y = (T##4)(a[i], 9, 9, 9); \
    x /= (T##4)(b[i], 1, 1, 0); y.x %= b[i]; \
    const T##2 z = (T##2)(a[i]) / b[i], w = (T##2)(a[i]) % (T##2)(b[i], 0); \
    T##4 v = (T##4)(a[i]); \
    v.yz /= b[i]; v.w /= b[i]; \
    out[4 * i] = z.y; out[4 * i + 1] = w.x; out[4 * i + 2] = v.y == x.x ? v.w : 77; out[4 * i + 3] = y.x; \
}
ALL(int) ALL(uint) ALL(long) ALL(ulong) ALL(char) ALL(uchar) ALL(short) ALL(ushort)
__kernel void constants(__global int* out, int a) {
    switch (a) { case 8 / 2: out[0] = 1; break; case 9 % 4 + 8: out[0] = 2; break; default: out[0] = 3; }
    out[1] = a / -1; out[2] = a / 0; out[3] = a % 0; out[4] = 7 / (a - a);
}
__kernel void floats(__global float* out, float a, float b) {
    float x = a; x /= b;
    float4 v = (float4)(a); v.x /= b; v.zw /= b;
    out[0] = a / b; out[1] = x; out[2] = v.x; out[3] = v.w; out[4] = fmin(a, b) / fmax(a, b); out[5] = v.y;
}
)";

template <class T>
T quotient(T a, T b) {
    return static_cast<T>(b == 0 || (std::is_signed_v<T> && b == T(-1) && a == std::numeric_limits<T>::min()) ? a
                                                                                                              : a / b);
}
template <class T>
T remainder(T a, T b) {
    return static_cast<T>(b == 0 || (std::is_signed_v<T> && b == T(-1)) ? 0 : a % b);
}

template <class T>
void check(const HostProgram& program, const std::string& name, std::uint32_t seed) {
    std::mt19937_64 random(seed);
    const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    std::vector<T> special{0, 1, static_cast<T>(-1), 2, 7, least, most}, a, b;
    for (const T x : special)
        for (const T y : special) {
            a.push_back(x);
            b.push_back(y);
        }
    for (int i = 0; i < 100; ++i) {
        a.push_back(static_cast<T>(random()));
        b.push_back(static_cast<T>(random() >> (random() % 64)));
    }
    for (const char* kind : {"scalar_", "vector_"}) {
        std::vector<T> out(4 * a.size());
        program.run(kind + name, {Argument::of(out), Argument::of(a), Argument::of(b)}, {a.size(), 1, 1});
        for (std::size_t i = 0; i < a.size(); ++i) {
            CAPTURE(kind);
            CAPTURE(name);
            CAPTURE(+a[i]);
            CAPTURE(+b[i]);
            const T q = quotient(a[i], b[i]), r = remainder(a[i], b[i]);
            REQUIRE(+out[4 * i] == +q);
            REQUIRE(+out[4 * i + 1] == +r);
            REQUIRE(+out[4 * i + 2] == +q);
            REQUIRE(+out[4 * i + 3] == +r);
        }
    }
}

} // namespace

TEST_CASE("division: by zero and of the least number, every integer type, scalars and vectors") {
    if (host_compiler().empty()) {
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
        return;
    }
    const std::uint32_t seed = test_seed();
    CAPTURE(seed);
    for (const char* flags : {"-O0", "-O2"}) {
        const HostProgram program(source, false, flags);
        check<std::int32_t>(program, "int", seed);
        check<std::uint32_t>(program, "uint", seed);
        check<std::int64_t>(program, "long", seed);
        check<std::uint64_t>(program, "ulong", seed);
        check<std::int8_t>(program, "char", seed);
        check<std::uint8_t>(program, "uchar", seed);
        check<std::int16_t>(program, "short", seed);
        check<std::uint16_t>(program, "ushort", seed);
        std::vector<int> out(5);
        int a = 4;
        program.run("constants", {Argument::of(out), Argument::value(a)}, {1, 1, 1});
        CHECK(out == std::vector<int>{1, -4, 4, 0, 7});
        std::vector<float> floats(6);
        float x = 3, y = 0;
        program.run("floats", {Argument::of(floats), Argument::value(x), Argument::value(y)}, {1, 1, 1});
        const float infinity = std::numeric_limits<float>::infinity();
        CHECK(floats == std::vector<float>{infinity, infinity, infinity, infinity, 0, 3});
    }
}
