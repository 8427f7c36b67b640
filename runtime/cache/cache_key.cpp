#include "cache/cache_key.hpp"
#include "cache/kernel_cache.hpp"
#include <cstring>
#include <devq/api.hpp>
#include <sha2.h>

namespace devq::detail {

Sha256 sha256(std::span<const std::byte> bytes) {
    Sha256 digest;
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    SHA256Final(digest.data(), &context);
    return digest;
}

CacheKey::CacheKey() {
    add("devq", DEVQ_VERSION_STRING);
    add("format", std::to_string(KernelCache::format_version));
}

CacheKey& CacheKey::add(std::string_view name, std::string_view value) {
    for (const std::string_view part : {name, value}) {
        const std::uint64_t length = part.size();
        char prefix[sizeof length];
        std::memcpy(prefix, &length, sizeof length);
        bytes_.append(prefix, sizeof prefix).append(part);
    }
    return *this;
}

std::string CacheKey::hex() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : sha256(std::as_bytes(std::span(bytes_)))) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

} // namespace devq::detail
