#include "memory.hpp"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <sys/mman.h>
#include <sys/sysinfo.h>

namespace devq::cpu {

namespace {

constexpr std::size_t alignment = 512; // as the design asks of pool blocks
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::uint64_t worth_asking = 64u << 20; // below this, reading /proc costs more than it protects

/// A number in a control-group file; the maximum where there is none ("max", no such file).
std::uint64_t number_in(const std::string& file) {
    std::ifstream in(file);
    std::uint64_t value = 0;
    return in >> value ? value : std::numeric_limits<std::uint64_t>::max();
}

/// The lowest limit on the way from the process's control group up to the root. How much of it is in use is not asked:
/// that counts the page cache, which gives way.
std::uint64_t group_limit() {
    std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) { // "0::/path" (v2) or "5:memory:/path" (v1)
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool v2 = controllers.empty();
        if (!v2 && controllers != "memory")
            continue;
        const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        const std::string file = v2 ? "/memory.max" : "/memory.limit_in_bytes";
        for (std::string path = line.substr(second + 1); path.size() > 1; path.resize(path.rfind('/')))
            limit = std::min(limit, number_in(root + path + file));
        limit = std::min(limit, number_in(root + file)); // in a container the group is mounted as the root
    }
    return limit;
}

std::string megabytes(std::uint64_t bytes) {
    return bytes < (1u << 20) ? std::to_string(bytes) + " bytes" : std::to_string(bytes >> 20) + " MiB";
}

[[noreturn]] void refuse(std::uint64_t bytes, const MemoryAccount& account, const std::string& why) {
    throw Error(ErrorCode::out_of_memory, "",
                "requested " + megabytes(bytes) + ", in use " + megabytes(account.used.load()) + " of " +
                    megabytes(account.limit) + ": " + why,
                "Free buffers or use smaller ones.");
}

} // namespace

std::uint64_t machine_memory_bytes() {
    struct sysinfo info {};
    if (sysinfo(&info) != 0)
        return 0;
    return std::min<std::uint64_t>(std::uint64_t{info.totalram} * info.mem_unit, group_limit());
}

std::uint64_t available_memory_bytes() {
    std::uint64_t available = 0;
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);)
        if (line.rfind("MemAvailable:", 0) == 0)
            available = std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
    return available;
}

Memory::Memory(std::shared_ptr<MemoryAccount> account, std::size_t bytes)
    : account_(std::move(account)), bytes_(bytes) {
    std::uint64_t used = account_->used.load(std::memory_order_relaxed);
    do {
        if (bytes > account_->limit || used > account_->limit - bytes)
            refuse(bytes, *account_, "that is more than the machine has");
    } while (!account_->used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    try {
        if (bytes >= worth_asking) {
            const std::uint64_t available = available_memory_bytes();
            if (available != 0 && bytes > available)
                refuse(bytes, *account_, "only " + megabytes(available) + " are available now");
        }
        const std::size_t step = bytes >= huge_page ? huge_page : alignment;
        if (bytes <= std::numeric_limits<std::size_t>::max() - step)
            data_ = std::aligned_alloc(step, (bytes + step - 1) / step * step);
        if (data_ == nullptr)
            refuse(bytes, *account_, "the system gives no more");
    } catch (...) {
        account_->used.fetch_sub(bytes, std::memory_order_relaxed);
        throw;
    }
#ifdef MADV_HUGEPAGE
    if (bytes >= huge_page)
        madvise(data_, bytes / huge_page * huge_page, MADV_HUGEPAGE); // a wish: fewer page faults and TLB misses
#endif
}

Memory::~Memory() {
    std::free(data_);
    account_->used.fetch_sub(bytes_, std::memory_order_relaxed);
}

} // namespace devq::cpu
