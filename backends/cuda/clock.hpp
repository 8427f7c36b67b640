#pragma once
/// Time stamps of one device. CUDA tells only the time between two events, as a float of milliseconds, so that stamps
/// are counted from marks that are never far behind.

#include "driver.hpp"
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

namespace devq::cuda {

class Context;

class Clock {
public:
    /// An event with a known time. Goes before the context does.
    struct Mark {
        explicit Mark(Context& of);
        ~Mark();
        Mark(const Mark&) = delete;
        Mark& operator=(const Mark&) = delete;

        Context& context;
        abi::Event event = nullptr;
        double nanoseconds = 0;
    };

    explicit Clock(Context& context) : context_(context) {}
    /// Gives back what it holds, while the context is still there.
    void close() noexcept;

    // The context is current in both.

    /// The mark to count from for an event that is recorded now.
    std::shared_ptr<const Mark> mark();
    /// Nanoseconds from one second before the first mark to `event`, which has been reached.
    std::uint64_t nanoseconds(const Mark& mark, abi::Event event);

private:
    std::shared_ptr<Mark> make();

    Context& context_;
    std::mutex mutex_;
    abi::Stream stream_ = nullptr; ///< of its own, so that marks never stand behind work
    std::shared_ptr<Mark> last_, next_;
    std::chrono::steady_clock::time_point made_{}; ///< last_
};

} // namespace devq::cuda
