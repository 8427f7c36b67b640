#include "run_compare.hpp"
#include "run_arguments.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace devq::tools {

double default_tolerance(DType type) {
    switch (type) {
    case DType::f64:
        return 0x1p-44;
    case DType::f32:
        return 0x1p-17;
    case DType::f16:
        return 0x1p-9;
    case DType::bf16:
        return 0x1p-6;
    default:
        return 0;
    }
}

Difference compare(const Array& a, const Array& b, double tolerance) {
    Difference result;
    const std::size_t size = size_of(a.type);
    result.elements = a.bytes.size() / size;
    double scale = 0;
    for (const Array* array : {&a, &b})
        for (std::size_t i = 0; i < result.elements; ++i)
            if (const double value = std::fabs(element(*array, i)); std::isfinite(value))
                scale = std::max(scale, value);
    for (std::size_t i = 0; i < result.elements; ++i) {
        if (std::memcmp(a.bytes.data() + i * size, b.bytes.data() + i * size, size) == 0)
            continue;
        const double x = element(a, i), y = element(b, i);
        const bool floating = is_floating(a.type);
        if (floating && (x == y || (std::isnan(x) && std::isnan(y)))) // +0 and -0; two kinds of NaN
            continue;
        // Integers that differ are 1 apart or more, also where f64 cannot tell.
        const double apart = floating ? std::fabs(x - y) : std::max(std::fabs(x - y), 1.0);
        const double distance = std::isfinite(apart) ? apart : std::numeric_limits<double>::infinity();
        ++result.differing;
        result.beyond += !(distance <= tolerance * scale);
        if (distance > result.largest) {
            result.largest = distance;
            result.index = i;
        }
    }
    return result;
}

} // namespace devq::tools
