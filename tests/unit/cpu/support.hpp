#pragma once
// Helpers of the cpu backend's tests: a device's parts without a device, and kernels made of plain functions.

#include "backend.hpp"
#include "device.hpp"
#include "queue.hpp"
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#if defined(__has_feature)
#define DEVQ_HAS(feature) __has_feature(feature)
#else
#define DEVQ_HAS(feature) 0
#endif

namespace devq::test {

/// Built with a sanitizer of addresses or of threads.
inline constexpr bool sanitized = DEVQ_HAS(address_sanitizer) || DEVQ_HAS(thread_sanitizer);

/// A thread pool, memory, and queues on it.
struct Bench {
    explicit Bench(unsigned threads = 4);
    std::shared_ptr<cpu::ThreadPool> pool;
    std::shared_ptr<cpu::MemoryAccount> account;
    std::unique_ptr<backend::Queue> queue() const;
    std::shared_ptr<backend::Memory> memory(std::size_t bytes) const;
};

/// A kernel that runs whole groups: body(dispatch, first, last).
std::shared_ptr<backend::Kernel> group_kernel(void (*body)(const devq_host_dispatch*, devq_u64, devq_u64));
/// A kernel with barriers: body(dispatch, group, local_id).
std::shared_ptr<backend::Kernel> item_kernel(void (*body)(const devq_host_dispatch*, devq_u64, const devq_u64*),
                                             bool barriers, std::size_t local_bytes = 0);

backend::Argument buffer(std::shared_ptr<backend::Memory> memory);
template <class T>
backend::Argument value(const T& of) {
    backend::Argument argument;
    argument.value = &of;
    argument.size = sizeof(T);
    return argument;
}
backend::Argument local(std::size_t bytes);

backend::LaunchRange range(std::size_t global, std::size_t local_size = 1);

/// Argument number `index` of a launch.
template <class T>
T* pointer(const devq_host_dispatch* dispatch, unsigned index) {
    return static_cast<T*>(dispatch->arguments[index]);
}
template <class T>
T number(const devq_host_dispatch* dispatch, unsigned index) {
    T value;
    std::memcpy(&value, dispatch->arguments[index], sizeof(T));
    return value;
}

template <class T>
T* data(const std::shared_ptr<backend::Memory>& memory) {
    return static_cast<T*>(memory->host_address());
}

/// An environment variable while it lives; null takes it away.
class Setting {
public:
    Setting(const char* name, const char* value);
    ~Setting();
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

private:
    std::string name_, before_;
    bool had_ = false;
};

/// The folder that this test program lies in, and the one of the sources.
std::string build_folder();
std::string source_folder();

} // namespace devq::test
