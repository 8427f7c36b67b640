#pragma once
/// What the runtime offers its backend modules besides the public interface (and child_process.hpp).

#include <cstddef>
#include <cstdint>
#include <devq/api.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace devq::detail {

/// A note kept between processes in the kernel cache's folder, under everything that it depends on (name, value): see
/// cache/kernel_cache.hpp. Absent when anything differs, or the cache is off.
DEVQ_API std::optional<std::string> load_note(const std::vector<std::pair<std::string, std::string>>& depends_on);
DEVQ_API void save_note(const std::vector<std::pair<std::string, std::string>>& depends_on, const std::string& text);

/// How the programs of this process came to be, of all devices together.
struct BuildCounts {
    std::uint64_t built = 0, from_disk = 0, from_memory = 0;
};
DEVQ_API BuildCounts build_counts() noexcept;

/// A program of devq's own that is not for people (devq-probe): beside the library, in `devq/` beside it, or in the
/// prefix's libexec/devq. Empty when it is not there; `searched` then names the folders.
DEVQ_API std::filesystem::path helper_program(const std::string& name, std::string& searched);

/// Where temporary files may go, best first: TMPDIR, XDG_RUNTIME_DIR (absolute ones), /tmp.
DEVQ_API std::vector<std::filesystem::path> temporary_parents();

/// A folder that only this user can look into (0700); gone with all it holds when the object goes. Those that killed
/// processes of this user left behind are removed when a process makes its first one.
class DEVQ_API PrivateFolder {
public:
    /// In the first of temporary_parents() that lets it. Throws Error(unavailable) naming each and why it failed.
    PrivateFolder();
    /// In `parent`; null, with the reason added to `why` ("PARENT: REASON; "), where that fails.
    static std::unique_ptr<PrivateFolder> in(const std::filesystem::path& parent, std::string& why);
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    PrivateFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
    std::filesystem::path path_;
    int lock_ = -1; ///< an open file in it, locked as long as the process lives
};

} // namespace devq::detail
