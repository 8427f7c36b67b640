#include <bit>
#include <cmath>
#include <cstdint>
#include <devq/dtype.hpp>
#include <devq/error.hpp>
#include <doctest/doctest.h>
#include <limits>
#include <string>

namespace {

/// The value of a floating format with an 8 or 5 bit exponent, by the definition: (-1)^s · 2^(e - bias) · 1.m.
double by_definition(std::uint16_t bits, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    const int exponent = (bits >> mantissa_bits) & top;
    const double fraction = (bits & ((1 << mantissa_bits) - 1)) * std::pow(2.0, -mantissa_bits);
    double value;
    if (exponent == top)
        value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (exponent == 0)
        value = std::ldexp(fraction, 1 - bias);
    else
        value = std::ldexp(1 + fraction, exponent - bias);
    return (bits & 0x8000u) != 0 ? -value : value;
}

/// Counts instead of 65,536 assertions: doctest is slow at those.
template <class Widen>
int widening_faults(Widen widen, int exponent_bits, int mantissa_bits) {
    int faults = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double expected = by_definition(half, exponent_bits, mantissa_bits);
        const float got = widen(half);
        const bool good = std::isnan(expected)
                              ? std::isnan(got)
                              : static_cast<double>(got) == expected && std::signbit(got) == std::signbit(expected);
        faults += good ? 0 : 1;
    }
    return faults;
}

/// Each value, and the points around the middle to its neighbour: below goes down, above goes up, ties to even.
template <class Widen, class Narrow>
int narrowing_faults(Widen widen, Narrow narrow, std::uint16_t infinity) {
    int faults = 0;
    for (std::uint32_t sign = 0; sign < 2; ++sign) {
        for (std::uint32_t magnitude = 0; magnitude < infinity; ++magnitude) {
            const auto low = static_cast<std::uint16_t>(magnitude | sign << 15),
                       high = static_cast<std::uint16_t>(low + 1);
            const auto even = (low & 1u) == 0 ? low : high;
            const double from = static_cast<double>(widen(low));
            // the neighbour of the largest value is where infinity would lie were there one more exponent
            const double to = magnitude + 1 == infinity
                                  ? 2 * from - static_cast<double>(widen(static_cast<std::uint16_t>(low - 1)))
                                  : static_cast<double>(widen(high));
            const auto middle = static_cast<float>((from + to) / 2);
            const float outward =
                sign == 0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
            faults += narrow(widen(low)) == low ? 0 : 1;
            if (static_cast<double>(middle) == (from + to) / 2) { // bf16's smallest denormals have no middle in f32
                faults += narrow(middle) == even ? 0 : 1;
                faults += narrow(std::nextafter(middle, 0.0f)) == low ? 0 : 1;
                faults += narrow(std::nextafter(middle, outward)) == high ? 0 : 1;
            }
        }
    }
    return faults;
}

} // namespace

TEST_CASE("every f16 and bf16 value widens to what its bits mean") {
    CHECK(widening_faults(devq::f32_from_f16, 5, 10) == 0);
    CHECK(widening_faults(devq::f32_from_bf16, 8, 7) == 0);
}

TEST_CASE("every f16 and bf16 value, and each midpoint between two, narrows to the nearest, ties to even") {
    CHECK(narrowing_faults(devq::f32_from_f16, devq::f16_from_f32, 0x7c00) == 0);
    CHECK(narrowing_faults(devq::f32_from_bf16, devq::bf16_from_f32, 0x7f80) == 0);
}

TEST_CASE("NaN, infinity and out of range values narrow as IEEE says") {
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(devq::f16_from_f32(infinity) == 0x7c00);
    CHECK(devq::f16_from_f32(-infinity) == 0xfc00);
    CHECK(devq::f16_from_f32(65519.996f) == 0x7bff);
    CHECK(devq::f16_from_f32(65520.0f) == 0x7c00);
    CHECK(devq::f16_from_f32(-1e30f) == 0xfc00);
    CHECK(devq::f16_from_f32(1e-30f) == 0);
    CHECK(devq::f16_from_f32(-1e-30f) == 0x8000);
    CHECK(devq::bf16_from_f32(std::numeric_limits<float>::max()) == 0x7f80);
    CHECK(devq::bf16_from_f32(-infinity) == 0xff80);
    // NaNs whose payload lies only in the bits that are cut off, and ones that a rounding carry would overflow
    for (const std::uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu, 0x7fc00000u}) {
        CAPTURE(bits);
        CHECK(std::isnan(devq::f32_from_f16(devq::f16_from_f32(std::bit_cast<float>(bits)))));
        CHECK(std::isnan(devq::f32_from_bf16(devq::bf16_from_f32(std::bit_cast<float>(bits)))));
    }
}

TEST_CASE("types have sizes and names that lead back to them") {
    using devq::DType;
    const DType all[] = {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i8,  DType::u8,
                         DType::i16, DType::u16, DType::i32,  DType::u32, DType::i64, DType::u64};
    const std::size_t sizes[] = {4, 2, 2, 8, 1, 1, 2, 2, 4, 4, 8, 8};
    for (std::size_t i = 0; i < std::size(all); ++i) {
        CAPTURE(i);
        CHECK(devq::size_of(all[i]) == sizes[i]);
        CHECK(devq::dtype_from_string(devq::to_string(all[i])) == all[i]);
        CHECK(devq::is_floating(all[i]) == (devq::to_string(all[i]).find('f') != std::string_view::npos));
    }
}

TEST_CASE("an unknown type's error names the known ones") {
    for (const char* name : {"", "F32", "f32 ", "float", "f8"}) {
        CAPTURE(name);
        try {
            devq::dtype_from_string(name);
            FAIL("accepted");
        } catch (const devq::Error& error) {
            CHECK(error.code() == devq::ErrorCode::invalid_argument);
            CHECK(std::string(error.what()).find("f32, f16, bf16") != std::string::npos);
        }
    }
}
