#pragma once
/// Part of the contract in backend.hpp: what a device is doing, as its vendor's own tools tell it. All of it is
/// optional: what is not told is absent, and never zero.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace devq::backend {

/// A process that uses the device.
struct ProcessReading {
    std::uint64_t id = 0; ///< as the driver counts, which in a container may be another number than there
    std::optional<std::uint64_t> memory_bytes;
};

struct Readings {
    std::string source;  ///< interface that was asked ("nvml"); empty: the backend knows of none
    std::string version; ///< of that, with its file; or why nothing could be read
    std::string uuid;    ///< what the vendor's tools call the device; empty where it has no such name

    std::optional<std::uint64_t> memory_total_bytes;
    std::optional<std::uint64_t> memory_used_bytes; ///< by everybody, the driver included: total − free
    std::optional<std::uint64_t> memory_free_bytes;
    std::optional<unsigned> load_percent;        ///< of the last moments, in which some kernel ran
    std::optional<unsigned> memory_load_percent; ///< in which device memory was read or written
    std::optional<unsigned> temperature_celsius; ///< of the chip
    std::optional<double> power_watts, power_limit_watts;
    std::optional<unsigned> clock_mhz, max_clock_mhz; ///< of the compute units
    std::optional<unsigned> memory_clock_mhz, max_memory_clock_mhz;
    std::optional<std::vector<ProcessReading>> processes;
    /// Readings (names as above) that the interface has and did not give, and what it said.
    std::vector<std::pair<std::string, std::string>> absent;
};

} // namespace devq::backend
