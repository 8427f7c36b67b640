// Every mathematical function of OpenCL C on the host against a wider type: its bounds hold for float and double, and
// docs/kernels.md says the same. DEVQ_TEST_MATH=1 prints the table with the largest errors that were seen.
#include "../../seed.hpp"
#include "support.hpp"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

using namespace devq::frontend::test;

namespace {

using Wide = long double;

/// Multiples of half a turn, and of quarters, are exact.
Wide sinpi(Wide x) {
    const Wide turns = std::fmod(x, 2.0L), a = std::fabs(turns);
    const Wide folded = a <= 0.5L ? a : a < 1.5L ? 1.0L - a : a - 2.0L;
    return std::isfinite(x) ? std::copysign(std::sin(folded * 3.14159265358979323846264338327950288L), 1.0L) *
                                  (std::signbit(folded) ? -1 : 1) * (std::signbit(turns) ? -1 : 1)
                            : NAN;
}
Wide cospi(Wide x) {
    const Wide a = std::fabs(std::fmod(x, 2.0L)), half_turn = a > 1 ? 2 - a : a;
    const Wide pi = 3.14159265358979323846264338327950288L;
    return !std::isfinite(x) ? NAN : half_turn <= 0.25L ? std::cos(half_turn * pi) : std::sin((0.5L - half_turn) * pi);
}
Wide over_pi(Wide x) { return x / 3.14159265358979323846264338327950288L; }

Wide rootn(Wide x, Wide n) {
    const bool odd = std::fmod(n, 2) != 0;
    if (n == 0 || (x < 0 && !odd))
        return NAN;
    const Wide root = std::pow(std::fabs(x), 1 / n);
    return odd ? std::copysign(root, x) : root;
}
Wide powr(Wide x, Wide y) {
    if (x < 0 || std::isnan(x) || std::isnan(y) || (x == 0 && y == 0) || (x == 1 && std::isinf(y)) ||
        (std::isinf(x) && y == 0))
        return NAN;
    return std::pow(std::fabs(x), y);
}
Wide maxmag(Wide a, Wide b) {
    return std::fabs(a) > std::fabs(b) ? a : std::fabs(b) > std::fabs(a) ? b : std::fmax(a, b);
}
Wide minmag(Wide a, Wide b) {
    return std::fabs(a) < std::fabs(b) ? a : std::fabs(b) < std::fabs(a) ? b : std::fmin(a, b);
}

struct Function {
    const char* name;
    double ulps; ///< OpenCL 1.2, section 7.4
    enum class Second { none, real, integer } second;
    Wide (*reference)(Wide, Wide);
};
constexpr auto none = Function::Second::none, real = Function::Second::real, integer = Function::Second::integer;

#define ONE(NAME, ULPS)                                                                                                \
    Function {                                                                                                         \
#NAME, ULPS, none, [](Wide x, Wide) { return std::NAME(x); }                                                   \
    }
#define TWO(NAME, ULPS)                                                                                                \
    Function {                                                                                                         \
#NAME, ULPS, real, [](Wide x, Wide y) { return std::NAME(x, y); }                                              \
    }
const Function functions[] = {
    ONE(acos, 4),
    ONE(acosh, 4),
    {"acospi", 5, none, [](Wide x, Wide) { return over_pi(std::acos(x)); }},
    ONE(asin, 4),
    ONE(asinh, 4),
    {"asinpi", 5, none, [](Wide x, Wide) { return over_pi(std::asin(x)); }},
    ONE(atan, 5),
    ONE(atanh, 5),
    {"atanpi", 5, none, [](Wide x, Wide) { return over_pi(std::atan(x)); }},
    TWO(atan2, 6),
    {"atan2pi", 6, real, [](Wide y, Wide x) { return over_pi(std::atan2(y, x)); }},
    ONE(cbrt, 2),
    ONE(ceil, 0),
    TWO(copysign, 0),
    ONE(cos, 4),
    ONE(cosh, 4),
    {"cospi", 4, none, [](Wide x, Wide) { return cospi(x); }},
    ONE(erf, 16),
    ONE(erfc, 16),
    ONE(exp, 3),
    ONE(exp2, 3),
    {"exp10", 3, none, [](Wide x, Wide) { return std::pow(10.0L, x); }},
    ONE(expm1, 3),
    ONE(fabs, 0),
    TWO(fdim, 0.5),
    ONE(floor, 0),
    TWO(fmax, 0),
    TWO(fmin, 0),
    TWO(fmod, 0),
    TWO(hypot, 4),
    {"ldexp", 0.5, integer, [](Wide x, Wide n) { return std::ldexp(x, static_cast<int>(n)); }},
    ONE(log, 3),
    ONE(log2, 3),
    ONE(log10, 3),
    ONE(log1p, 2),
    ONE(logb, 0),
    {"maxmag", 0, real, maxmag},
    {"minmag", 0, real, minmag},
    TWO(pow, 16),
    {"pown", 16, integer, [](Wide x, Wide n) { return std::pow(x, n); }},
    {"powr", 16, real, powr},
    TWO(remainder, 0),
    {"rint", 0, none, [](Wide x, Wide) { return std::nearbyint(x); }},
    {"rootn", 16, integer, rootn},
    ONE(round, 0),
    {"rsqrt", 2, none, [](Wide x, Wide) { return 1 / std::sqrt(x); }},
    ONE(sin, 4),
    ONE(sinh, 4),
    {"sinpi", 4, none, [](Wide x, Wide) { return sinpi(x); }},
    {"sqrt", 3, none, [](Wide x, Wide) { return std::sqrt(x); }},
    ONE(tan, 5),
    ONE(tanh, 5),
    {"tanpi", 6, none, [](Wide x, Wide) { return sinpi(x) / cospi(x); }},
    ONE(tgamma, 16),
    ONE(trunc, 0),
};

template <class T>
const char* type_name() {
    return std::is_same_v<T, float> ? "float" : "double";
}

template <class T>
std::string kernels() {
    std::string text;
    const std::string type = type_name<T>();
    for (const Function& f : functions) {
        const std::string second = f.second == none ? "" : f.second == real ? ", b[i]" : ", n[i]";
        text += std::string("__kernel void k_") + f.name + "(__global " + type + "* y, __global const " + type +
                "* a, __global const " + type + "* b, __global const int* n) {\n    const int i = get_global_id(0);\n" +
                "    y[i] = " + f.name + "(a[i]" + second + ");\n}\n";
    }
    return text;
}

/// Random bits (every exponent alike), numbers of usual size, and those where functions bend.
template <class T>
std::vector<T> samples(std::mt19937_64& random, std::size_t count) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::vector<T> result;
    for (const T x :
         {T(0), T(1), T(0.5), T(1.5), T(2), T(3), T(10), T(88.7), T(104), T(709.5), T(745),
          std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::max(),
          std::numeric_limits<T>::min(), std::numeric_limits<T>::denorm_min(), T(0x1p23), T(0x1p53)})
        for (const T sign : {T(1), T(-1)})
            result.push_back(std::copysign(x, sign));
    std::uniform_real_distribution<T> usual(-10, 10), near_1(T(0.9), T(1.1));
    while (result.size() < count) {
        const auto bits = static_cast<Bits>(random());
        T x;
        std::memcpy(&x, &bits, sizeof x);
        switch (random() % 4) {
        case 0:
            result.push_back(std::isnan(x) ? std::numeric_limits<T>::quiet_NaN()
                                           : x); // signalling ones are no part of OpenCL

            break;
        case 1:
            result.push_back(near_1(random));
            break;
        case 2:
            result.push_back(std::round(usual(random)));
            break;
        default:
            result.push_back(usual(random));
        }
    }
    return result;
}

/// In units of T's last place at `wanted`; infinite where NaN or infinity disagree.
template <class T>
double error_in_ulps(T got, Wide wanted) {
    const T rounded = static_cast<T>(wanted);
    if (std::isnan(rounded))
        return std::isnan(got) ? 0 : INFINITY;
    if (std::isinf(rounded)) // the largest finite value is right where the exact result is finite
        return got == rounded || (std::isfinite(wanted) && std::fabs(got) == std::numeric_limits<T>::max()) ? 0
                                                                                                            : INFINITY;
    if (!std::isfinite(got))
        return std::isinf(got) && std::fabs(rounded) >= std::numeric_limits<T>::max() * T(0.999999) ? 1 : INFINITY;
    int exponent;
    std::frexp(wanted, &exponent);
    constexpr int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent - digits;
    return static_cast<double>(std::fabs(got - wanted) / std::ldexp(1.0L, std::max(exponent - digits, least)));
}

std::string documented() {
    std::ifstream file(DOCS "/kernels.md");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string limit_text(double ulps) {
    std::ostringstream text;
    if (ulps == 0)
        text << "exact";
    else if (ulps == 0.5)
        text << "rounded";
    else
        text << ulps;
    return text.str();
}

/// The largest errors, in the order of `functions`.
template <class T>
std::vector<double> check() {
    std::mt19937_64 random(devq::tests::fresh_seed("mathematical functions"));
    constexpr std::size_t count = 40000;
    std::vector<T> y(count), a = samples<T>(random, count), b = samples<T>(random, count);
    std::shuffle(b.begin(), b.end(), random);
    std::vector<int> n(count);
    for (int& each : n)
        each = random() % 8 == 0 ? static_cast<int>(random()) : static_cast<int>(random() % 41) - 20;
    const HostProgram program(kernels<T>(), false, "-O2");
    std::vector<double> largest;
    for (const Function& f : functions) {
        program.run(std::string("k_") + f.name, {Argument::of(y), Argument::of(a), Argument::of(b), Argument::of(n)},
                    {count, 1, 1}, {64, 1, 1});
        double most = 0;
        std::string worst;
        for (std::size_t i = 0; i < count; ++i) {
            const Wide second = f.second == integer ? static_cast<Wide>(n[i]) : static_cast<Wide>(b[i]);
            const Wide wanted = f.reference(a[i], second);
            const double error = error_in_ulps(y[i], wanted);
            if (error > most) {
                most = error;
                std::ostringstream text;
                text.precision(20);
                text << f.name << "(" << a[i];
                if (f.second != none)
                    text << ", " << second;
                text << ") gives " << y[i] << " for " << wanted;
                worst = text.str();
            }
        }
        largest.push_back(most);
        CHECK_MESSAGE(most <= f.ulps, type_name<T>() << ": " << worst << ", " << most << " ulp");
    }
    return largest;
}

} // namespace

TEST_CASE("accuracy: every mathematical function within OpenCL's bound, as documented") {
    if (host_compiler().empty()) {
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
        return;
    }
    const std::vector<double> floats = check<float>(), doubles = check<double>();
    const std::string text = documented();
    std::size_t i = 0;
    for (const Function& f : functions) {
        const std::string row = std::string("| ") + f.name + " | " + limit_text(f.ulps) + " |";
        CHECK_MESSAGE(text.find(row) != std::string::npos, "docs/kernels.md lacks the row \"" << row << "\"");
        if (std::getenv("DEVQ_TEST_MATH") != nullptr)
            std::printf("%s %.2f | %.2f |\n", row.c_str(), floats[i], doubles[i]);
        ++i;
    }
}
