#pragma once
/// What devq keeps of a device's memory. Buffers that go leave their memory in a cache, for the next ones: no driver is
/// called then, and nobody waits for the commands that still use it. docs/memory.md has the rules.

#include <cstdint>
#include <devq/api.hpp>
#include <devq/device.hpp>

namespace devq {

/// Bytes, where nothing else is said.
struct MemoryStatistics {
    std::uint64_t in_use = 0;      ///< that buffers have, rounded up as the cache does
    std::uint64_t requested = 0;   ///< that these buffers were asked for
    std::uint64_t cached = 0;      ///< that no buffer has
    std::uint64_t peak = 0;        ///< the most that was in use, since the device was opened or reset_memory_peak()
    std::uint64_t budget = 0;      ///< the most that devq takes from the driver, cached included; 0: no bound
    std::uint64_t allocations = 0; ///< how many buffers of at least one byte were made
    std::uint64_t from_cache = 0;  ///< how many of these without asking the driver
};

DEVQ_API MemoryStatistics memory_statistics(const Device& device);
/// The peak is what is in use now.
DEVQ_API void reset_memory_peak(const Device& device);
/// Gives cached memory back to the driver, after the commands that still use it. How many bytes that were.
DEVQ_API std::uint64_t trim_memory(const Device& device);
/// Of all buffers and the cache together; 0: no bound. Buffers beyond a lower budget stay; new ones are out_of_memory.
/// Without a call it is what DEVQ_MEMORY_LIMIT says.
DEVQ_API void set_memory_budget(const Device& device, std::uint64_t bytes);

} // namespace devq
