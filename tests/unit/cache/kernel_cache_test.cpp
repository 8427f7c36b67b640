#include "cache/cache_key.hpp"
#include "cache/kernel_cache.hpp"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using devq::detail::CacheKey;
using devq::detail::CacheLimits;
using devq::detail::KernelCache;
namespace fs = std::filesystem;

namespace {

struct TemporaryFolder {
    fs::path path;
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "devq-cache-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

std::string key_of(int n) { return CacheKey().add("n", std::to_string(n)).hex(); }

fs::path only_file(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        files.push_back(entry.path());
    REQUIRE(files.size() == 1);
    return files.front();
}

/// Runs `body` in a child and returns its exit status.
template <class Body>
int in_child(Body body) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0)
        ::_exit(body());
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

TEST_CASE("SHA-256 gives the published digest of abc") {
    const auto digest = devq::detail::sha256(bytes_of("abc")); // FIPS 180-4, example B.1
    CHECK(digest[0] == 0xba);
    CHECK(digest[1] == 0x78);
    CHECK(digest[31] == 0xad);
}

TEST_CASE("keys: fields do not run together, and every field counts") {
    std::set<std::string> keys;
    keys.insert(CacheKey().hex());
    keys.insert(CacheKey().add("a", "bc").hex());
    keys.insert(CacheKey().add("ab", "c").hex());
    keys.insert(CacheKey().add("a", "b").add("c", "").hex());
    keys.insert(CacheKey().add("a", "").add("b", "c").hex());
    CHECK(keys.size() == 5);
    CHECK(CacheKey().add("a", "bc").hex() == CacheKey().add("a", "bc").hex());
    CHECK(CacheKey().hex().size() == 64);
}

TEST_CASE("what is saved is loaded; another key misses") {
    TemporaryFolder folder;
    const fs::path where = folder.path / "a b" / "käche-キャッシュ"; // spaces and letters beyond ASCII; both made
    KernelCache cache(where);
    REQUIRE(cache.why_off() == "");
    CHECK_FALSE(cache.load(key_of(1)).has_value());
    cache.save(key_of(1), bytes_of("kernel one"));
    CHECK(cache.load(key_of(1)) == bytes_of("kernel one"));
    CHECK_FALSE(cache.load(key_of(2)).has_value());
    cache.save(key_of(1), bytes_of("kernel one, built again"));
    CHECK(cache.load(key_of(1)) == bytes_of("kernel one, built again"));
    const auto counts = cache.statistics();
    CHECK(counts.hits == 2);
    CHECK(counts.misses == 2);
    CHECK(counts.stored == 2);
    struct stat status {};
    REQUIRE(::stat(where.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    REQUIRE(::stat(only_file(where).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a truncated file and any flipped bit count as absent and are removed") {
    TemporaryFolder folder;
    KernelCache cache(folder.path / "c");
    const auto content = bytes_of("the quick brown kernel");
    cache.save(key_of(1), content);
    const fs::path file = only_file(folder.path / "c");
    const auto length = fs::file_size(file);
    std::string good(length, '\0');
    std::ifstream(file, std::ios::binary).read(good.data(), static_cast<std::streamsize>(length));
    const auto plant = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };

    for (std::size_t cut = 0; cut < length; ++cut) {
        plant(good.substr(0, cut));
        CHECK_FALSE(cache.load(key_of(1)).has_value());
        CHECK_FALSE(fs::exists(file));
    }
    for (std::size_t byte = 0; byte < length; ++byte) {
        std::string bad = good;
        bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
        plant(bad);
        CHECK_MESSAGE(!cache.load(key_of(1)).has_value(), "byte " << byte);
    }
    plant(good + "x");
    CHECK_FALSE(cache.load(key_of(1)).has_value());
    plant(good);
    CHECK(cache.load(key_of(1)) == content);
}

TEST_CASE("a link, a folder or a pipe in a file's place is never followed or waited for") {
    TemporaryFolder folder;
    KernelCache cache(folder.path / "c");
    cache.save(key_of(1), bytes_of("content"));
    const fs::path file = only_file(folder.path / "c"), moved = folder.path / "elsewhere";
    fs::rename(file, moved);
    fs::create_symlink(moved, file);
    CHECK_FALSE(cache.load(key_of(1)).has_value());
    fs::remove(file);
    fs::create_directory(file);
    CHECK_FALSE(cache.load(key_of(1)).has_value());
    fs::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    CHECK_FALSE(cache.load(key_of(1)).has_value());
}

TEST_CASE("folders that are not safe are not used, and the reason is said") {
    TemporaryFolder folder;
    fs::create_directory(folder.path / "open");
    fs::permissions(folder.path / "open", fs::perms::all);
    CHECK(KernelCache(folder.path / "open").why_off().find("others") != std::string::npos);
    CHECK(KernelCache("relative/path").why_off().find("absolute") != std::string::npos);
    CHECK_FALSE(KernelCache("").why_off().empty());
    fs::create_directory(folder.path / "real");
    fs::create_symlink(folder.path / "real", folder.path / "link");
    CHECK_FALSE(KernelCache(folder.path / "link").why_off().empty());
    std::ofstream(folder.path / "file") << "not a folder";
    CHECK_FALSE(KernelCache(folder.path / "file").why_off().empty());

    KernelCache off(folder.path / "open"); // every call is harmless
    off.save(key_of(1), bytes_of("x"));
    CHECK_FALSE(off.load(key_of(1)).has_value());
    CHECK(off.trim() == 0);
}

TEST_CASE("another user's folder, another user's file, and a home that cannot be written") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: needs root to act as another user");
        return;
    }
    TemporaryFolder folder;
    fs::permissions(folder.path, fs::perms(0755));
    fs::create_directory(folder.path / "theirs");
    REQUIRE(::chown((folder.path / "theirs").c_str(), 4321, 4321) == 0);
    CHECK(KernelCache(folder.path / "theirs").why_off().find("another user") != std::string::npos);

    KernelCache cache(folder.path / "ours");
    cache.save(key_of(1), bytes_of("content"));
    REQUIRE(::chown(only_file(folder.path / "ours").c_str(), 4321, 4321) == 0);
    CHECK_FALSE(cache.load(key_of(1)).has_value());

    CHECK(in_child([&] { // 4321 may not write into root's folder
              if (::setgid(4321) != 0 || ::setuid(4321) != 0)
                  return 9;
              KernelCache denied(folder.path / "home" / ".cache" / "devq");
              denied.save(key_of(1), bytes_of("content"));
              return !denied.why_off().empty() && !denied.load(key_of(1)) ? 0 : 1;
          }) == 0);
}

TEST_CASE("a full disk loses the entry and nothing else") {
    TemporaryFolder folder;
    const fs::path where = folder.path / "c";
    CHECK(in_child([&] {
              KernelCache cache(where);
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit small{100, 100}; // writes beyond this fail, as they do on a full disk
              if (::setrlimit(RLIMIT_FSIZE, &small) != 0)
                  return 9;
              cache.save(key_of(1), std::vector<std::byte>(5000));
              return cache.load(key_of(1)) || cache.statistics().stored != 0 ? 1 : 0;
          }) == 0);
    CHECK(fs::is_empty(where)); // no left-over
}

TEST_CASE("sixteen processes save and load the same keys at once and never see a wrong one") {
    TemporaryFolder folder;
    const auto content = [](int key) { return bytes_of(std::string(1000 + 37 * key, static_cast<char>('a' + key))); };
    std::vector<pid_t> children;
    for (int child = 0; child < 16; ++child) {
        const pid_t pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            KernelCache cache(folder.path / "c", CacheLimits{20000, 1000});
            std::mt19937 random(static_cast<unsigned>(child));
            int wrong = 0;
            for (int round = 0; round < 300; ++round) {
                const int key = static_cast<int>(random() % 8);
                if (const auto found = cache.load(key_of(key)))
                    wrong += *found != content(key);
                else
                    cache.save(key_of(key), content(key));
                if (round % 50 == 0)
                    cache.trim();
            }
            ::_exit(wrong == 0 && cache.statistics().rejected == 0 ? 0 : 1);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        REQUIRE(::waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
}

TEST_CASE("limits: the least recently used go first; left-over temporary files go after an hour") {
    TemporaryFolder folder;
    const fs::path where = folder.path / "c";
    KernelCache cache(where, CacheLimits{3500, 1000});
    const auto age = [&](const fs::path& file, int seconds) {
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
    };
    for (int n = 0; n < 4; ++n) {
        cache.save(key_of(n), std::vector<std::byte>(1000));
        age(where / (key_of(n) + ".kernel"), 500 - 100 * n);
    }
    CHECK(cache.load(key_of(0)).has_value()); // its last use is now
    std::ofstream(where / "new-1-1-1") << "half";
    std::ofstream(where / "new-1-1-2") << "half";
    age(where / "new-1-1-1", 4000);
    std::ofstream(where / "a file of somebody else") << "stays";
    CHECK(cache.trim() == 2);
    CHECK(cache.load(key_of(0)).has_value());
    CHECK_FALSE(cache.load(key_of(1)).has_value());
    CHECK(cache.load(key_of(2)).has_value());
    CHECK(fs::exists(where / "new-1-1-2"));
    CHECK(fs::exists(where / "a file of somebody else"));
    age(where / (key_of(3) + ".kernel"), 2000);
    CHECK(cache.trim() == 1);
}

TEST_CASE("a process that goes on saving keeps to the limit") {
    const TemporaryFolder folder;
    const fs::path where = folder.path / "c";
    KernelCache cache(where, CacheLimits{10'000, 1000});
    for (int i = 0; i < 300; ++i)
        cache.save(key_of(i), std::vector<std::byte>(944)); // 1000 bytes with what stands before it
    const auto files = std::distance(fs::directory_iterator(where), fs::directory_iterator());
    CHECK(files > 10);  // those since the last trim
    CHECK(files <= 80); // not all
}
