#pragma once
/// What the stand-ins for NVIDIA's libraries of operations share: how an entry point begins, their objects, and
/// numbers.

#include "entry.hpp"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <vector>

namespace virtual_cuda {

/// The first thing in an entry point: takes the lock, counts, and fails on demand.
class LibraryCall {
public:
    explicit LibraryCall(const char* name)
        : world_(World::instance()), lock_(world_.mutex), fault_(world_.library_fault(name)) {}
    int fault() const noexcept { return fault_; }
    World& world() const noexcept { return world_; }
    /// Of the calling thread's context; null where there is none, or it is broken.
    Device* device() const noexcept {
        Device* const device = current();
        return device != nullptr && device->retained > 0 && device->broken == abi::success ? device : nullptr;
    }

private:
    World& world_;
    std::lock_guard<std::recursive_mutex> lock_;
    int fault_;
};

/// The living objects of one kind, by the handle that the caller has.
template <class Object, class Handle>
class Objects {
public:
    Handle add(Object object) {
        auto made = std::make_unique<Object>(std::move(object));
        const auto handle = reinterpret_cast<Handle>(made.get());
        objects_.emplace(handle, std::move(made));
        return handle;
    }
    Object* find(Handle handle) {
        const auto found = objects_.find(handle);
        return found != objects_.end() ? found->second.get() : nullptr;
    }
    bool remove(Handle handle) { return objects_.erase(handle) == 1; }

private:
    std::map<Handle, std::unique_ptr<Object>> objects_;
};

enum class Number { f32, f16, bf16 };

inline std::size_t size_of(Number type) noexcept { return type == Number::f32 ? 4 : 2; }

/// Rounded to `digits` binary digits, to even; below 2^`least` to multiples of what is the last digit there.
inline double round_to(double x, int digits, int least) noexcept {
    if (x == 0 || !std::isfinite(x))
        return x;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(x), least) - digits + 1);
    return std::nearbyint(x / unit) * unit;
}

inline double decode(Number type, const std::byte* at) noexcept {
    if (type == Number::f32) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    if (type == Number::bf16) {
        const std::uint32_t wide = std::uint32_t{bits} << 16;
        float value;
        std::memcpy(&value, &wide, sizeof value);
        return value;
    }
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                              : std::numeric_limits<double>::infinity())
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

inline void encode(Number type, double x, std::byte* at) noexcept {
    if (type != Number::f16) {
        const auto value = static_cast<float>(type == Number::bf16 ? round_to(x, 8, -126) : x);
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        if (type == Number::f32) {
            std::memcpy(at, &bits, sizeof bits);
            return;
        }
        const auto half = static_cast<std::uint16_t>(std::isnan(x) ? 0x7fc0 : bits >> 16);
        std::memcpy(at, &half, sizeof half);
        return;
    }
    const double r = std::fabs(round_to(x, 11, -14));
    unsigned bits = 0;
    if (std::isnan(x))
        bits = 0x7e00;
    else if (r > 65504)
        bits = 0x7c00;
    else if (r >= std::ldexp(1.0, -14)) {
        const int exponent = std::ilogb(r);
        bits =
            static_cast<unsigned>(exponent + 15) << 10 | (static_cast<unsigned>(std::ldexp(r, 10 - exponent)) & 1023u);
    } else
        bits = static_cast<unsigned>(std::ldexp(r, 24));
    const auto half = static_cast<std::uint16_t>(bits | (std::signbit(x) ? 0x8000u : 0u));
    std::memcpy(at, &half, sizeof half);
}

} // namespace virtual_cuda

/// A function of a library, DEVQ_LIBRARY(name, parameters) { ... } DEVQ_LIBRARY_END: its calls are counted, and fail on
/// demand.
#define DEVQ_LIBRARY(symbol, ...)                                                                                      \
    extern "C" DEVQ_API int symbol(__VA_ARGS__) noexcept;                                                              \
    extern "C" int symbol(__VA_ARGS__) noexcept {                                                                      \
        const LibraryCall call(#symbol);                                                                               \
        if (call.fault() != 0)                                                                                         \
            return call.fault();                                                                                       \
        const auto body = [&]() -> int
#define DEVQ_LIBRARY_END                                                                                               \
    ;                                                                                                                  \
    return body();                                                                                                     \
    }
