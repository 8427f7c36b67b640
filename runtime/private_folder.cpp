// Temporary folders. A process that is killed leaves its own behind: each holds a file that its process has locked, so
// that the next process of the same user knows which ones nobody uses any more.
#include "services.hpp"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <devq/error.hpp>
#include <dirent.h>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace devq::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "devq-", random_part = "XXXXXX";
constexpr const char* lock_name = ".lock";
constexpr const char* unlocked_name = ".lock-new"; // before it is locked: nobody else looks at it

class Open {
public:
    explicit Open(int fd) noexcept : fd_(fd) {}
    ~Open() {
        if (fd_ >= 0)
            ::close(fd_);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    int get() const noexcept { return fd_; }

private:
    int fd_;
};

/// Calls visit(name) for each entry of an open folder.
template <class Visit>
void each_entry(int folder, Visit visit) {
    const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const stream = again >= 0 ? ::fdopendir(again) : nullptr;
    if (stream == nullptr) {
        if (again >= 0)
            ::close(again);
        return;
    }
    while (const dirent* entry = ::readdir(stream))
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            visit(entry->d_name);
    ::closedir(stream);
}

/// Removes one folder in `parent` if this user's process that made it is gone. No link is followed, and nothing is
/// removed but the files in the folder and it itself.
void remove_if_stale(int parent, const char* name) {
    const Open folder(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (folder.get() < 0 || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid() ||
        (status.st_mode & 0777) != 0700)
        return;
    const Open lock(::openat(folder.get(), lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (lock.get() < 0) { // killed before it had its lock, or not made by this version
        constexpr std::time_t while_making = 60;
        if (errno == ENOENT && std::time(nullptr) - status.st_mtime > while_making)
            ::unlinkat(parent, name, AT_REMOVEDIR); // where it is empty
        return;
    }
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
        return;
    each_entry(folder.get(), [&](const char* file) {
        if (std::string_view(file) != lock_name)
            ::unlinkat(folder.get(), file, 0);
    });
    ::unlinkat(folder.get(), lock_name, 0);
    ::unlinkat(parent, name, AT_REMOVEDIR);
}

void remove_stale(const fs::path& parent) {
    const Open folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0)
        return;
    each_entry(folder.get(), [&](const char* name) {
        const std::string_view text = name;
        if (text.size() == prefix.size() + random_part.size() && text.starts_with(prefix))
            remove_if_stale(folder.get(), name);
    });
}

/// Once a process and parent.
void remove_stale_once(const fs::path& parent) {
    static std::mutex mutex;
    static std::set<fs::path> done;
    {
        const std::lock_guard guard(mutex);
        if (!done.insert(parent).second)
            return;
    }
    remove_stale(parent);
}

/// The lock of a folder that was just made; -1 where there can be none, and then nobody removes it.
int lock_folder(const fs::path& folder) {
    const std::string fresh = (folder / unlocked_name).string();
    const int file = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 && ::rename(fresh.c_str(), (folder / lock_name).c_str()) == 0)
        return file;
    ::unlink(fresh.c_str());
    ::close(file);
    return -1;
}

} // namespace

std::vector<fs::path> temporary_parents() {
    std::vector<fs::path> parents;
    for (const char* variable : {"TMPDIR", "XDG_RUNTIME_DIR"})
        if (const char* value = std::getenv(variable); value && *value == '/')
            parents.emplace_back(value);
    parents.emplace_back("/tmp");
    return parents;
}

std::unique_ptr<PrivateFolder> PrivateFolder::in(const fs::path& parent, std::string& why) {
    remove_stale_once(parent);
    std::string name = (parent / (std::string(prefix) + std::string(random_part))).string();
    if (::mkdtemp(name.data()) != nullptr) // makes it 0700
        return std::unique_ptr<PrivateFolder>(new PrivateFolder(fs::path(name), lock_folder(name)));
    why += parent.string() + ": " + std::strerror(errno) + "; ";
    return nullptr;
}

PrivateFolder::PrivateFolder() {
    std::string why;
    for (const fs::path& parent : temporary_parents())
        if (const auto made = in(parent, why)) {
            path_.swap(made->path_);
            std::swap(lock_, made->lock_);
            return;
        }
    throw Error(ErrorCode::unavailable, "", "no temporary folder can be made (" + why.substr(0, why.size() - 2) + ')',
                "Free some space, or set TMPDIR to a folder that can be written.");
}

PrivateFolder::~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty())
        fs::remove_all(path_, ignored);
    if (lock_ >= 0)
        ::close(lock_);
}

} // namespace devq::detail
