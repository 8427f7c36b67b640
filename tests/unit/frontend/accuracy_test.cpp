// The host prelude's own functions against double precision, at each level of this machine's processor: OpenCL's bounds
// hold, and infinities, NaN, zeros and denormals come out right.
#include "support.hpp"
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>

using namespace devq::frontend::test;

namespace {

struct Function {
    const char* name;
    double (*reference)(double);
    double ulps; ///< OpenCL 1.2's bound, table 7.4.1
};

const Function functions[] = {
    {"exp", [](double x) { return std::exp(x); }, 3},         {"exp2", [](double x) { return std::exp2(x); }, 3},
    {"exp10", [](double x) { return std::pow(10.0, x); }, 3}, {"log", [](double x) { return std::log(x); }, 3},
    {"log2", [](double x) { return std::log2(x); }, 3},       {"log10", [](double x) { return std::log10(x); }, 3},
    {"tanh", [](double x) { return std::tanh(x); }, 5},       {"erf", [](double x) { return std::erf(x); }, 16},
    {"sqrt", [](double x) { return std::sqrt(x); }, 0.5},     {"rsqrt", [](double x) { return 1.0 / std::sqrt(x); }, 2},
    {"floor", [](double x) { return std::floor(x); }, 0},     {"round", [](double x) { return std::round(x); }, 0},
    {"rint", [](double x) { return std::nearbyint(x); }, 0},
};

std::string kernels() {
    std::string text = "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n";
    for (const Function& function : functions)
        for (const char* lanes : {"1", "4", "8", "16"}) {
            const std::string name = function.name, n = lanes;
            text += "__kernel void " + name + "_" + n +
                    "(__global float* y, __global const float* x) {\n"
                    "    const int i = get_global_id(0);\n    " +
                    (n == "1" ? "y[i] = " + name + "(x[i]);"
                              : "vstore" + n + "(" + name + "(vload" + n + "(i, x)), i, y);") +
                    "\n}\n";
        }
    return text;
}

/// Every exponent and sign, some significands of each, and the special values.
std::vector<float> samples(std::uint32_t step) {
    std::vector<float> result;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += step) {
        const auto word = static_cast<std::uint32_t>(bits);
        float x;
        std::memcpy(&x, &word, sizeof x);
        result.push_back(x);
    }
    const float most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
    for (const float x :
         {0.0f,      1.0f,  0.5f,     88.72284f, 88.7229f, 103.97f, 104.5f,    126.0f, 127.99999f, 128.0f, 149.5f,
          38.53184f, 45.2f, INFINITY, NAN,       most,     least,   0x1p-126f, 0.625f, 0.9f,       4.0f,   10.0f})
        for (const float sign : {1.0f, -1.0f})
            result.push_back(std::copysign(x, sign));
    while (result.size() % 16)
        result.push_back(0.0f);
    return result;
}

double error_in_ulps(float got, double wanted) {
    int exponent;
    std::frexp(wanted, &exponent);
    return std::fabs(got - wanted) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Empty where `got` is right.
std::string judge(const Function& function, float x, float got) {
    const double wanted = function.reference(x);
    const auto rounded = static_cast<float>(wanted);
    bool right;
    if (std::isnan(rounded))
        right = std::isnan(got);
    else if (std::isinf(rounded))
        right = got == rounded || (std::isfinite(wanted) && std::fabs(got) >= std::numeric_limits<float>::max());
    else
        right = error_in_ulps(got, wanted) <= function.ulps;
    if (right)
        return {};
    return std::string(function.name) + "(" + std::to_string(x) + ") gives " + std::to_string(got) + " for " +
           std::to_string(wanted) + ", " + std::to_string(error_in_ulps(got, wanted)) + " ulp";
}

void check_level(const std::string& flags) {
    CAPTURE(flags);
    const HostProgram program(kernels(), true, "-O2 " + flags);
    const std::vector<float> x = samples(104729); // a prime: all significands are met
    std::vector<float> y(x.size());
    for (const Function& function : functions)
        for (const std::uint64_t lanes : {1, 4, 8, 16}) {
            std::vector<float> in = x;
            program.run(function.name + ("_" + std::to_string(lanes)), {Argument::of(y), Argument::of(in)},
                        {x.size() / lanes, 1, 1});
            std::string first;
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < x.size(); ++i)
                if (const std::string why = judge(function, x[i], y[i]); !why.empty() && wrong++ == 0)
                    first = why;
            CAPTURE(lanes);
            CHECK_MESSAGE(wrong == 0, wrong << " of " << x.size() << " wrong; first: " << first);
        }
}

} // namespace

TEST_CASE("accuracy: functions of the host prelude") {
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
        check_level("-march=x86-64-v4 -mprefer-vector-width=512");
#else
    check_level("");
#endif
}
