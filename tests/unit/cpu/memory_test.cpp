#include "memory.hpp"
#include "support.hpp"
#include <cstdint>
#include <devq/error.hpp>
#include <doctest/doctest.h>
#include <limits>

using namespace devq;

namespace {

ErrorCode code_of(const std::shared_ptr<cpu::MemoryAccount>& account, std::size_t bytes, std::string& text) {
    try {
        const cpu::Memory memory(account, bytes);
    } catch (const Error& error) {
        text = error.what();
        return error.code();
    }
    return ErrorCode::unsupported; // not what any test expects
}

} // namespace

TEST_CASE("blocks are aligned, and counted for as long as they live") {
    const auto account = std::make_shared<cpu::MemoryAccount>();
    account->limit = 1u << 30;
    for (std::size_t bytes : {1, 63, 4096, 5'000'001}) {
        const cpu::Memory a(account, bytes);
        auto b = std::make_unique<cpu::Memory>(account, bytes);
        CHECK(reinterpret_cast<std::uintptr_t>(b->host_address()) % 512 == 0);
        CHECK(account->used == 2 * bytes);
        b.reset();
        CHECK(account->used == bytes);
    }
    CHECK(account->used == 0);
}

TEST_CASE("more than there is fails as out_of_memory, and what is there stays usable") {
    const auto account = std::make_shared<cpu::MemoryAccount>();
    account->limit = cpu::machine_memory_bytes();
    REQUIRE(account->limit > (64u << 20));
    std::string text;
    for (std::size_t bytes : {std::size_t{account->limit} + 1, std::size_t{1} << 46,
                              std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() - 511}) {
        CAPTURE(bytes);
        CHECK(code_of(account, bytes, text) == ErrorCode::out_of_memory);
        CHECK(text.find("requested") != std::string::npos);
        CHECK(account->used == 0);
    }
    const cpu::Memory small(account, 1000);
    CHECK(code_of(account, account->limit, text) == ErrorCode::out_of_memory); // together it is too much
    CHECK(account->used == 1000);
}

TEST_CASE("what others have taken is not there, though the machine is large enough") {
    const auto account = std::make_shared<cpu::MemoryAccount>();
    account->limit = std::uint64_t{1} << 60;
    const std::uint64_t available = cpu::available_memory_bytes();
    REQUIRE(available > 0);
    std::string text;
    CHECK(code_of(account, available + available / 2, text) == ErrorCode::out_of_memory);
    CHECK(text.find("available now") != std::string::npos);
}
