#pragma once
#include "backend.hpp"
#include "context.hpp"
#include "memory.hpp"
#include <mutex>

namespace devq::opencl {

/// A cl_kernel holds its arguments, so each launch takes one for itself; they are kept for the next.
class Kernel final : public backend::Kernel {
public:
    Kernel(std::shared_ptr<Context> context, cl::Program program, const std::string& name);
    ~Kernel() override;

    std::size_t local_bytes() const override { return local_bytes_; }
    std::size_t max_group_items() const override { return max_group_items_; }

    /// Sets the arguments and enqueues; the command's event. Thread-safe.
    cl_event enqueue(cl_command_queue queue, const backend::LaunchRange& range,
                     std::span<const backend::Argument> arguments);

private:
    /// What an argument of a clone was last set to, so that it need not be set again.
    struct Held {
        enum class Kind { nothing, buffer, value, local } kind = Kind::nothing;
        std::size_t size = 0;
        std::array<std::byte, 16> bytes{};
        std::uint64_t buffer = 0;
    };
    struct Clone {
        cl::Kernel kernel;
        std::vector<Held> held;
    };
    cl::Kernel create() const;
    static void set_argument(Clone& clone, std::size_t index, const backend::Argument& argument);

    std::shared_ptr<Context> context_;
    cl::Program program_;
    std::string name_;
    std::size_t local_bytes_ = 0, max_group_items_ = 0;
    std::mutex mutex_;
    std::size_t clones_ = 1; ///< in all, taken and free
    std::vector<std::unique_ptr<Clone>> free_;
};

} // namespace devq::opencl
