#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace devq::detail {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::span<const std::byte> bytes);

/// Everything that decides what a build gives, in one digest. Fields are named and length-prefixed, so that no two
/// different lists of fields run together into the same bytes.
class CacheKey {
public:
    CacheKey();
    CacheKey& add(std::string_view name, std::string_view value);
    /// 64 hexadecimal digits: the file's name.
    std::string hex() const;

private:
    std::string bytes_;
};

} // namespace devq::detail
