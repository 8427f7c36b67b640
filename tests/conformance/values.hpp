#pragma once
/// Numbers for the conformance suite: a seeded generator, the kinds of values that find mistakes, and conversions
/// between double and every storage type. The conversions are written here on purpose and share nothing with devq's
/// own.

#include <cstddef>
#include <cstdint>
#include <devq/dtype.hpp>
#include <string_view>

namespace devq::conformance {

/// splitmix64: small, and the same on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}
    std::uint64_t next() noexcept;
    double uniform(double low, double high) noexcept; ///< [low, high)
    std::int64_t below(std::int64_t count) noexcept;  ///< 0 ... count - 1
    bool one_in(int chances) noexcept { return below(chances) == 0; }

private:
    std::uint64_t state_;
};

/// A seed of its own for each case, so that one case repeated alone sees the numbers that it saw in the whole suite.
std::uint64_t seed_of(std::uint64_t seed, std::string_view case_name) noexcept;

enum class Values {
    unit,           ///< uniform in [-1, 1)
    wide,           ///< either sign, magnitudes from 2^-8 to 2^8
    positive,       ///< magnitudes from 2^-8 to 2^8
    any_bits,       ///< random bits: every exponent alike, some NaN and infinity
    near_one,       ///< 1 ± 2^-k: where a logarithm must keep its digits
    thresholds,     ///< -110 ... 95: where exp leaves f32's range and its denormals on either side
    moderate,       ///< uniform in [-12, 12): where exp, tanh and the like bend
    special,        ///< a quarter ±0, denormals, the smallest normal, the largest finite, ±inf, NaN; the rest wide
    risky,          ///< as special without NaN and the largest finite: sums of them stay defined in f32
    nearly,         ///< finite, but half of it ±0, denormals and the smallest normal
    small_integers, ///< -3 ... 3: many equal
    huge,  ///< positive, and so large (f16: 3·10^4 and more; others: 10^19) that products overflow or nearly do
    equal, ///< 0.7109375 everywhere
    minus_infinity,
};

double draw(Random& random, Values values, DType type) noexcept;

/// What the judge must know of a floating storage type.
struct Format {
    int precision;         ///< bits of the significand, the hidden one included
    int smallest_exponent; ///< of the smallest normal: 2^smallest_exponent
    double largest;        ///< largest finite value
    double unit_roundoff() const noexcept;
    double subnormal_step() const noexcept;     ///< distance of neighbours among the denormals
    double overflow_threshold() const noexcept; ///< from here on, values round to infinity
};
Format format_of(DType type) noexcept; ///< f32, f16, bf16 or f64

/// `value` rounded once, to nearest even, to `type` (integer types: to nearest even and clamped).
double round_to(DType type, double value) noexcept;

/// Stores round_to(type, value) at `at`, and reads an element back. i64 and u64 beyond 2^53 lose bits: do not use such.
void encode(DType type, double value, std::byte* at) noexcept;
double decode(DType type, const std::byte* at) noexcept;

/// Fills with a pattern that no operation can produce: a signalling NaN with a payload, an absurd integer.
void poison(DType type, std::byte* at) noexcept;
bool is_poison(DType type, const std::byte* at) noexcept;

} // namespace devq::conformance
