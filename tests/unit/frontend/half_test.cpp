// f16 through vload_half and vstore_half, at each level of this machine's processor: every bit pattern is widened, and
// narrowing is checked at and around every border between two f16 values, in each rounding.
#include "support.hpp"
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>

using namespace devq::frontend::test;

namespace {

std::string kernels() {
    std::string text;
    for (const std::string lanes : {"", "2", "4", "8", "16"}) {
        const std::string suffix = lanes.empty() ? "1" : lanes;
        text +=
            "__kernel void widen_" + suffix +
            "(__global float* y, __global const half* x) { const int i = get_global_id(0); " +
            (lanes.empty() ? "y[i] = vload_half(i, x);" : "vstore" + lanes + "(vload_half" + lanes + "(i, x), i, y);") +
            " }\n";
        for (const std::string rounding : {"rte", "rtz", "rtp", "rtn"})
            text += "__kernel void " + rounding + "_" + suffix +
                    "(__global half* y, __global const float* x) { const int i = get_global_id(0); vstore_half" +
                    lanes + "_" + rounding + "(" + (lanes.empty() ? "x[i]" : "vload" + lanes + "(i, x)") +
                    ", i, y); }\n";
    }
    return text;
}

std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

float from_bits(std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

/// By the definition of binary16.
float widened(std::uint16_t h) {
    const int exponent = (h >> 10) & 31, significand = h & 0x3ff;
    const float sign = h & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return from_bits((h & 0x8000u) << 16 | 0x7f800000u | static_cast<std::uint32_t>(significand) << 13 |
                         (significand ? 0x400000u : 0u));
    return exponent == 0 ? sign * std::ldexp(static_cast<float>(significand), -24)
                         : sign * std::ldexp(static_cast<float>(significand + 1024), exponent - 25);
}

/// By trying the two neighbours: rounding 0 nearest even, 1 to zero, 2 up, 3 down.
std::uint16_t narrowed(float x, int rounding) {
    const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x))
        return static_cast<std::uint16_t>(sign | 0x7e00 | ((bits_of(x) >> 13) & 0x3ff));
    const double magnitude = std::fabs(static_cast<double>(x));
    if (std::isinf(x))
        return sign | 0x7c00;
    std::uint16_t low = 0, high = 0x7c00; // the greatest not above, by bisection
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (static_cast<double>(widened(middle)) <= magnitude ? low : high) = middle;
    }
    const double below = widened(low), above = low == 0x7bff ? 65536.0 : static_cast<double>(widened(high));
    bool up = false;
    if (magnitude > below) {
        if (rounding == 0)
            up = magnitude - below > above - magnitude || (magnitude - below == above - magnitude && (low & 1));
        else
            up = rounding == (sign ? 3 : 2);
    }
    return static_cast<std::uint16_t>(sign | (up ? low + 1 : low));
}

std::vector<float> borders() {
    std::vector<float> result{0.0f,
                              -0.0f,
                              INFINITY,
                              -INFINITY,
                              NAN,
                              -NAN,
                              std::numeric_limits<float>::denorm_min(),
                              1e-30f,
                              -1e-30f,
                              std::numeric_limits<float>::max(),
                              65519.996f,
                              65520.0f,
                              65535.0f,
                              65536.0f,
                              -65520.0f,
                              from_bits(0x7f800001),
                              from_bits(0xff802000),
                              from_bits(0x7fc12345)};
    for (std::uint32_t h = 0; h < 0x7c00; ++h) {
        const float here = widened(static_cast<std::uint16_t>(h)),
                    next = h == 0x7bff ? 65536.0f : widened(static_cast<std::uint16_t>(h + 1));
        const float middle = here + (next - here) / 2;
        for (const float x : {here, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, INFINITY),
                              std::nextafter(here, INFINITY)}) {
            result.push_back(x);
            result.push_back(-x);
        }
    }
    while (result.size() % 16)
        result.push_back(0.0f);
    return result;
}

void check_level(const std::string& flags) {
    CAPTURE(flags);
    const HostProgram program(kernels(), true, "-O2 " + flags);
    std::vector<std::uint16_t> all(65536);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<std::uint16_t>(i);
    std::vector<float> x = borders();
    for (const std::uint64_t lanes : {1, 2, 4, 8, 16}) {
        CAPTURE(lanes);
        const std::string suffix = "_" + std::to_string(lanes);
        std::vector<float> wide(all.size());
        program.run("widen" + suffix, {Argument::of(wide), Argument::of(all)}, {all.size() / lanes, 1, 1});
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            wrong += bits_of(wide[i]) != bits_of(widened(all[i])) ? 1 : 0;
        CHECK(wrong == 0);
        int rounding = 0;
        for (const char* name : {"rte", "rtz", "rtp", "rtn"}) {
            std::vector<std::uint16_t> narrow(x.size());
            program.run(name + suffix, {Argument::of(narrow), Argument::of(x)}, {x.size() / lanes, 1, 1});
            std::string first;
            wrong = 0;
            for (std::size_t i = 0; i < x.size(); ++i)
                if (const std::uint16_t wanted = narrowed(x[i], rounding); narrow[i] != wanted && wrong++ == 0)
                    first =
                        std::to_string(x[i]) + " gives " + std::to_string(narrow[i]) + " for " + std::to_string(wanted);
            CHECK_MESSAGE(wrong == 0, name << ": " << wrong << " wrong; first: " << first);
            ++rounding;
        }
    }
}

} // namespace

TEST_CASE("half: conversions are exact at every level") {
    if (host_compiler().empty()) {
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
        return;
    }
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2"))
        check_level("-march=x86-64-v2");
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check_level("-march=x86-64-v3");
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        check_level("-march=x86-64-v4");
#else
    check_level("");
#endif
}

TEST_CASE("halves of doubles are rounded once") {
    if (host_compiler().empty())
        return;
    const HostProgram program("__kernel void k(__global half* y, __global const double* x) {\n"
                              "int i = get_global_id(0); vstore_half(x[i], i, y); vstore_half_rtz(x[i], 8 + i, y);\n"
                              "if (i == 0) { vstore_half8_rtp(vload8(0, x), 2, y); vstorea_half4_rtn(vload4(1, x), 6, "
                              "y); } }",
                              false, "-O2");
    std::vector<double> x{1 + 0x1p-11 + 0x1p-40,
                          1 + 0x1p-11,
                          65519.999999999,
                          65520,
                          0x1p-25,
                          0x1p-25 + 0x1p-60,
                          -1e300,
                          std::numeric_limits<double>::quiet_NaN()};
    std::vector<std::uint16_t> y(28);
    program.run("k", {Argument::of(y), Argument::of(x)}, {8, 1, 1});
    CHECK(y == std::vector<std::uint16_t>{0x3c01, 0x3c00, 0x7bff, 0x7c00, 0, 1, 0xfc00, 0x7e00, // nearest
                                          0x3c00, 0x3c00, 0x7bff, 0x7bff, 0, 0, 0xfbff, 0x7e00, // to zero
                                          0x3c01, 0x3c01, 0x7c00, 0x7c00, 1, 1, 0xfbff, 0x7e00, // up
                                          0,      0,      0xfc00, 0x7e00});                     // down
}
