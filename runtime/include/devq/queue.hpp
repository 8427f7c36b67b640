#pragma once
#include <cstddef>
#include <devq/api.hpp>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/event.hpp>
#include <devq/program.hpp>
#include <devq/tensor.hpp>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>

namespace devq {

namespace detail {
struct QueueState;
}

/// Local memory for a `__local` pointer parameter.
struct LocalMemory {
    std::size_t bytes;
};

/// One argument of a launch. Lives only for the call; values are copied before launch() returns.
/// Buffers and views of whole buffers go to global and constant pointers; LocalMemory to local pointers; numbers and
/// trivially copyable structs to by-value parameters of exactly the same kind and size (pass 2.0f, not 2.0, to a
/// float).
class DEVQ_API KernelArg {
public:
    enum class Kind { buffer, local, signed_integer, unsigned_integer, floating, bytes };

    KernelArg(const Buffer& buffer) noexcept : kind_(Kind::buffer), buffer_(&buffer) {}      // NOLINT: meant to convert
    KernelArg(const TensorView& view);                                                       // NOLINT
    KernelArg(const Tensor& tensor) : KernelArg(tensor.buffer()) {}                          // NOLINT
    KernelArg(const LocalMemory& local) noexcept : kind_(Kind::local), size_(local.bytes) {} // NOLINT
    template <class T>
    requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_same_v<T, LocalMemory>)
        KernelArg(const T& value)
    noexcept // NOLINT
        : kind_(std::is_floating_point_v<T> ? Kind::floating
                : !std::is_integral_v<T>    ? Kind::bytes
                : std::is_signed_v<T>       ? Kind::signed_integer
                                            : Kind::unsigned_integer),
          value_(&value), size_(sizeof(T)) {}

    /// A value whose type is known only when the program runs (for bindings and tools): `bytes` at `value`, of a number
    /// or, with Kind::bytes, of a struct or vector. Lives as long as `value` does.
    static KernelArg of_bytes(Kind kind, const void* value, std::size_t bytes) noexcept {
        return KernelArg(kind, value, bytes);
    }

    Kind kind() const noexcept { return kind_; }
    const Buffer* buffer() const noexcept { return buffer_; }
    const void* value() const noexcept { return value_; }
    std::size_t size() const noexcept { return size_; }

private:
    KernelArg(Kind kind, const void* value, std::size_t bytes) noexcept : kind_(kind), value_(value), size_(bytes) {}

    Kind kind_;
    const Buffer* buffer_ = nullptr;
    Buffer held_; // the buffer of a view, which does not own it
    const void* value_ = nullptr;
    std::size_t size_ = 0;

public:
    KernelArg(const KernelArg& other) noexcept
        : kind_(other.kind_), buffer_(other.held_ ? &held_ : other.buffer_), held_(other.held_), value_(other.value_),
          size_(other.size_) {}
    KernelArg& operator=(const KernelArg&) = delete;
};

/// Commands of one device in order. A handle, thread-safe (one lock a queue).
///
/// Errors: invalid arguments, build failures and out of memory are thrown at the call and nothing is queued; the queue
/// goes on. A failure while a command runs drops the commands behind it; wait() (or read()) throws the first one, once,
/// and that clears the queue; what dropped commands would have written is undefined. device_lost never clears. A
/// failure that nobody reads is one line on stderr when the queue goes.
class DEVQ_API Queue {
public:
    Queue() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }
    Device device() const;

    /// Host to device. `source` may be reused when the call returns.
    void write(const Buffer& destination, std::size_t offset, const void* source, std::size_t bytes) const;
    /// Device to host; blocks until the data is there, and throws what wait() would.
    void read(void* destination, const Buffer& source, std::size_t offset, std::size_t bytes) const;
    /// Between buffers of any two devices, at least one of them this queue's. Ranges of one buffer may not overlap.
    /// A copy from another device's buffer sees what had been queued there and waited for by this queue (wait_for).
    void copy(const Buffer& destination, std::size_t destination_offset, const Buffer& source,
              std::size_t source_offset, std::size_t bytes) const;
    /// Repeats `pattern` (1, 2, 4, 8 or 16 bytes); `bytes` and `offset` are multiples of its size.
    void fill(const Buffer& destination, std::size_t offset, std::size_t bytes, const void* pattern,
              std::size_t pattern_size) const;

    template <class T>
    void write(const Buffer& destination, std::span<const T> source) const {
        write(destination, 0, source.data(), source.size_bytes());
    }
    template <class T>
    void read(std::span<T> destination, const Buffer& source) const {
        read(destination.data(), source, 0, destination.size_bytes());
    }

    /// Runs a kernel. Count, kind and size of the arguments, group size and local memory are checked first.
    template <class... Args>
    void launch(const Kernel& kernel, const Range& range, const Args&... args) const {
        launch_list(kernel, range, {KernelArg(args)...});
    }
    void launch_list(const Kernel& kernel, const Range& range, std::initializer_list<KernelArg> args) const;
    void launch_span(const Kernel& kernel, const Range& range, std::span<const KernelArg> args) const;

    /// An event behind everything queued so far.
    Event record() const;
    /// What is queued after this runs when `event` (of any queue, any device) is done.
    void wait_for(const Event& event) const;
    void flush() const; ///< hands everything queued to the device; does not block
    void wait() const;  ///< blocks until all is done; throws the first failure, once

    /// For the library itself.
    explicit Queue(std::shared_ptr<detail::QueueState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::QueueState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::QueueState> state_;
};

} // namespace devq
