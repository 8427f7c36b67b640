#pragma once
#include "backend.hpp"
#include "context.hpp"

namespace devq::opencl {

/// A cl_mem. Commands that use it keep it alive in the driver.
class Memory final : public backend::Memory {
public:
    Memory(std::shared_ptr<Context> context, cl::Buffer buffer);
    ~Memory() override;

    std::optional<backend::NativeHandle> native_handle() const override { return to_native(buffer_()); }

    const cl_mem& handle() const noexcept { return buffer_(); }
    /// Unique in the process, unlike a handle, which a driver may use again.
    std::uint64_t identity() const noexcept { return identity_; }

private:
    std::shared_ptr<Context> context_;
    cl::Buffer buffer_;
    std::uint64_t identity_;
};

std::shared_ptr<Memory> allocate(const std::shared_ptr<Context>& context, std::size_t bytes);
/// One that others have made in this context; its size goes into `bytes`.
std::shared_ptr<Memory> import_memory(const std::shared_ptr<Context>& context, cl_mem memory, std::size_t& bytes);

} // namespace devq::opencl
