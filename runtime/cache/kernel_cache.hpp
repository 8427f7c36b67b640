#pragma once
/// Built kernels on disk, so that a warm start builds nothing. A file that is not exactly what was saved (truncated,
/// changed, of another owner or format) counts as absent and is removed; a folder that others may write to is not used
/// at all. Nothing here throws for the disk's sake: without a usable folder every look-up misses.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace devq::detail {

struct CacheStatistics {
    std::uint64_t hits = 0, misses = 0, stored = 0, rejected = 0;
};

struct CacheLimits {
    std::uint64_t bytes = std::uint64_t{1} << 30;
    std::int64_t age_seconds = 90 * 24 * 3600; ///< since last use
};

/// Thread-safe, and safe between processes (temporary name, then rename).
class KernelCache {
public:
    static constexpr std::uint32_t format_version = 1;

    /// The process's cache: DEVQ_CACHE=0 turns it off; DEVQ_CACHE_DIR, else XDG_CACHE_HOME/devq, else HOME/.cache/devq.
    static KernelCache& instance();

    /// An empty folder = a cache that is off.
    explicit KernelCache(std::filesystem::path folder, CacheLimits limits = {});
    ~KernelCache();
    KernelCache(const KernelCache&) = delete;
    KernelCache& operator=(const KernelCache&) = delete;

    std::optional<std::vector<std::byte>> load(const std::string& key);
    /// The first one of a process, and some later ones, also trim().
    void save(const std::string& key, std::span<const std::byte> content);

    /// Where the files lie; empty when off, with why_off() saying why.
    const std::filesystem::path& folder() const noexcept { return folder_; }
    const std::string& why_off() const noexcept { return why_off_; }
    /// Why nothing new is kept, though what lies there is used; empty where it is.
    const std::string& why_read_only() const noexcept { return why_read_only_; }
    CacheStatistics statistics() const noexcept;

    /// Removes what is over the limits, least recently used first, and left-over temporary files. Returns files
    /// removed.
    std::size_t trim();

private:
    void open_folder();

    std::filesystem::path folder_;
    int descriptor_ = -1; ///< of the folder that was checked: every file is reached through it
    std::string why_off_, why_read_only_;
    CacheLimits limits_;
    std::atomic<std::uint64_t> hits_{0}, misses_{0}, stored_{0}, rejected_{0};
};

} // namespace devq::detail
