#pragma once
#include <array>
#include <cstddef>
#include <devq/api.hpp>
#include <devq/device.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace devq {

namespace detail {
struct ProgramState;
struct KernelState;
} // namespace detail

/// What a launch has to give for one parameter of a kernel, as its source declares it.
struct KernelParameter {
    enum class Kind { global, constant, local, value }; ///< where a pointer points to, or a value
    std::string name;
    std::string type; ///< typedefs resolved: "float", "uint4", "struct shape", "const float*"
    Kind kind = Kind::value;
    bool is_const = false; ///< the kernel only reads what the pointer points to
    std::size_t size = 0;  ///< bytes of a value, or of what the pointer points to (void: 0)
};

/// A kernel of a built program: a cheap handle, thread-safe, usable on any queue of the program's device.
class DEVQ_API Kernel {
public:
    Kernel() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }
    const std::string& name() const;
    std::size_t parameter_count() const;
    std::vector<KernelParameter> parameters() const;
    /// Local memory that the kernel itself declares, in bytes; LocalMemory arguments come on top.
    std::size_t local_bytes() const;
    /// What `reqd_work_group_size` asks for; zeros where it is not there.
    std::array<std::size_t, 3> required_group() const;

    /// For the library itself.
    explicit Kernel(std::shared_ptr<detail::KernelState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::KernelState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::KernelState> state_;
};

/// A program built for one device; see Device::build.
class DEVQ_API Program {
public:
    Program() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }
    /// Throws invalid_argument naming the kernels that there are.
    Kernel kernel(std::string_view name) const;
    std::vector<std::string> kernel_names() const;
    const std::string& build_log() const; ///< warnings of the compiler; may be empty

    /// For the library itself.
    explicit Program(std::shared_ptr<detail::ProgramState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::ProgramState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::ProgramState> state_;
};

/// How many work-items run, in groups of what size. Unsaid dimensions are 1. `local` all zero: devq chooses a group
/// size that divides `global`. Each local size must divide its global size. A global size of 0 runs nothing.
struct Range {
    std::array<std::size_t, 3> global{1, 1, 1};
    std::array<std::size_t, 3> local{0, 0, 0};
    unsigned dimensions = 1;

    Range(std::size_t x) : global{x, 1, 1} {} // NOLINT: a plain count is a range
    Range(std::size_t x, std::size_t y) : global{x, y, 1}, dimensions(2) {}
    Range(std::size_t x, std::size_t y, std::size_t z) : global{x, y, z}, dimensions(3) {}
    /// The same range in groups of x (× y × z).
    Range grouped(std::size_t x, std::size_t y = 1, std::size_t z = 1) const {
        Range r = *this;
        r.local = {x, y, z};
        return r;
    }
};

} // namespace devq
