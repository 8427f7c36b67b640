#include "philox_reference.hpp"

namespace devq::conformance {

PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) noexcept {
    constexpr std::uint64_t multiply_0 = 0xD2511F53, multiply_1 = 0xCD9E8D57;
    constexpr std::uint32_t golden_ratio = 0x9E3779B9, root_of_three = 0xBB67AE85; // their fractions: Weyl sequences
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product_0 = multiply_0 * counter[0], product_1 = multiply_1 * counter[2];
        counter = {
            static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
            static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product_0)};
        key[0] += golden_ratio;
        key[1] += root_of_three;
    }
    return counter;
}

std::uint32_t philox_word(const ops::RandomState& state, std::uint64_t index) noexcept {
    const std::uint64_t number = state.offset + index, block = number / 4;
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    return philox({low(block), high(block), low(state.stream), high(state.stream)},
                  {low(state.seed), high(state.seed)})[number % 4];
}

} // namespace devq::conformance
