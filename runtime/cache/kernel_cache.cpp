#include "cache/kernel_cache.hpp"
#include "cache/cache_key.hpp"
#include "environment.hpp"
#include "notice.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace devq::detail {

namespace {

constexpr char magic[8] = {'D', 'E', 'V', 'Q', 'K', 'R', 'N', 'L'};
constexpr std::string_view suffix = ".kernel";
constexpr std::string_view temporary_prefix = "new-";
constexpr std::uint64_t stores_between_trims = 64; // a process may live for months
constexpr std::uint64_t largest_file = std::uint64_t{256} << 20;

struct Header {
    char magic[8];
    std::uint32_t format;
    std::uint32_t reserved;
    std::uint64_t length;
    Sha256 digest;
};
static_assert(sizeof(Header) == 56);

class Descriptor {
public:
    explicit Descriptor(int fd) noexcept : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0)
            ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_;
};

bool read_all(int fd, void* to, std::size_t bytes) {
    auto* cursor = static_cast<std::byte*>(to);
    while (bytes > 0) {
        const ssize_t got = ::read(fd, cursor, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        cursor += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(int fd, const void* from, std::size_t bytes) {
    const auto* cursor = static_cast<const std::byte*>(from);
    while (bytes > 0) {
        const ssize_t put = ::write(fd, cursor, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        cursor += put;
        bytes -= static_cast<std::size_t>(put);
    }
    return true;
}

std::string temporary_name() {
    static std::atomic<unsigned> counter{0};
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random)
        random = static_cast<std::uint64_t>(::getpid());
    return std::string(temporary_prefix) + std::to_string(::getpid()) + "-" + std::to_string(++counter) + "-" +
           std::to_string(random);
}

std::filesystem::path folder_from_environment() {
    if (!flag("DEVQ_CACHE", true))
        return {};
    if (const auto folder = environment("DEVQ_CACHE_DIR"); !folder.empty())
        return folder;
    if (const auto folder = environment("XDG_CACHE_HOME"); !folder.empty())
        return std::filesystem::path(folder) / "devq";
    if (const auto home = environment("HOME"); !home.empty())
        return std::filesystem::path(home) / ".cache" / "devq";
    return {};
}

} // namespace

KernelCache& KernelCache::instance() {
    // Never destroyed: what drivers do at the end of the process may still look here.
    static KernelCache& cache = *[] {
        const std::filesystem::path folder = folder_from_environment();
        auto* const made = new KernelCache(folder);
        if (!folder.empty() && !made->why_off().empty() && environment("DEVQ_CACHE_DIR").empty()) // see environment.cpp
            notice("built kernels are not kept on disk: " + made->why_off() +
                   "; name a folder of your own in DEVQ_CACHE_DIR, or set DEVQ_CACHE to 0");
        return made;
    }();
    return cache;
}

KernelCache::KernelCache(std::filesystem::path folder, CacheLimits limits)
    : folder_(std::move(folder)), limits_(limits) {
    if (folder_.empty())
        why_off_ = "turned off (DEVQ_CACHE=0), or neither DEVQ_CACHE_DIR, XDG_CACHE_HOME nor HOME is set";
    else if (!folder_.is_absolute())
        why_off_ = folder_.string() + " is not an absolute path";
    else
        open_folder();
    if (!why_off_.empty())
        folder_.clear();
}

KernelCache::~KernelCache() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void KernelCache::open_folder() {
    std::error_code error;
    std::filesystem::create_directories(folder_.parent_path(), error); // a failure shows in the next call
    if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
        why_off_ = folder_.string() + ": " + std::strerror(errno);
        return;
    }
    descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
        why_off_ = folder_.string() + ": " + std::strerror(errno);
    else if (status.st_uid != ::geteuid())
        why_off_ = folder_.string() + " belongs to another user";
    else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        why_off_ = folder_.string() + " can be written to by others (chmod 700 would make it usable)";
    else if (::faccessat(descriptor_, ".", W_OK | X_OK, AT_EACCESS) != 0)
        why_read_only_ = folder_.string() + ": " + std::strerror(errno);
}

std::optional<std::vector<std::byte>> KernelCache::load(const std::string& key) {
    if (folder_.empty()) {
        ++misses_;
        return std::nullopt;
    }
    const std::string name = key + std::string(suffix);
    const Descriptor file(::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file) {
        ++misses_;
        return std::nullopt;
    }
    struct stat status {};
    Header header{};
    std::vector<std::byte> content;
    const bool whole =
        ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
        static_cast<std::uint64_t>(status.st_size) >= sizeof header &&
        static_cast<std::uint64_t>(status.st_size) <= largest_file && read_all(file.get(), &header, sizeof header) &&
        std::memcmp(header.magic, magic, sizeof magic) == 0 && header.format == format_version &&
        header.reserved == 0 && header.length == static_cast<std::uint64_t>(status.st_size) - sizeof header &&
        (content.resize(header.length), read_all(file.get(), content.data(), content.size())) &&
        sha256(content) == header.digest;
    if (!whole) {
        ::unlinkat(descriptor_, name.c_str(), 0);
        ++rejected_;
        ++misses_;
        return std::nullopt;
    }
    ::futimens(file.get(), nullptr); // last use, for trim()
    ++hits_;
    return content;
}

void KernelCache::save(const std::string& key, std::span<const std::byte> content) {
    if (folder_.empty() || content.empty() || content.size() > largest_file - sizeof(Header))
        return;
    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.format = format_version;
    header.length = content.size();
    header.digest = sha256(content);

    const std::string temporary = temporary_name();
    const Descriptor file(
        ::openat(descriptor_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file)
        return;
    const std::string name = key + std::string(suffix);
    const bool written = write_all(file.get(), &header, sizeof header) &&
                         write_all(file.get(), content.data(), content.size()) &&
                         ::renameat(descriptor_, temporary.c_str(), descriptor_, name.c_str()) == 0;
    if (!written) {
        ::unlinkat(descriptor_, temporary.c_str(), 0);
        return;
    }
    if (stored_++ % stores_between_trims == 0)
        trim();
}

std::size_t KernelCache::trim() {
    struct Entry {
        std::string name;
        std::uint64_t bytes;
        std::int64_t used;
        bool temporary;
    };
    std::vector<Entry> entries;
    std::uint64_t total = 0;
    const int scan = folder_.empty() ? -1 : ::openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* directory = scan < 0 ? nullptr : ::fdopendir(scan);
    if (!directory)
        return 0;
    while (const dirent* item = ::readdir(directory)) {
        std::string name = item->d_name;
        const bool temporary = name.starts_with(temporary_prefix);
        struct stat status {};
        if ((!temporary && !name.ends_with(suffix)) ||
            ::fstatat(descriptor_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
            continue;
        const auto bytes = static_cast<std::uint64_t>(status.st_size);
        entries.push_back({std::move(name), bytes, status.st_mtime, temporary});
        total += bytes;
    }
    ::closedir(directory);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });

    const std::int64_t now = ::time(nullptr);
    std::size_t removed = 0;
    for (const Entry& entry : entries) {
        const std::int64_t age = now - entry.used;
        const bool left_over = entry.temporary && age > 3600; // its writer died
        const bool over_limit = !entry.temporary && (age > limits_.age_seconds || total > limits_.bytes);
        if (!left_over && !over_limit)
            continue;
        if (::unlinkat(descriptor_, entry.name.c_str(), 0) == 0) {
            total -= entry.bytes;
            ++removed;
        }
    }
    return removed;
}

CacheStatistics KernelCache::statistics() const noexcept { return {hits_, misses_, stored_, rejected_}; }

} // namespace devq::detail
