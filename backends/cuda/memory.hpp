#pragma once
#include "backend.hpp"
#include "stream.hpp"
#include <mutex>
#include <vector>

namespace devq::cuda {

/// A block of device memory. Freeing it waits for the commands that use it.
class Memory final : public backend::Memory {
public:
    /// Throws out_of_memory.
    Memory(std::shared_ptr<Context> context, std::size_t bytes);
    struct Foreign {};
    /// Somebody else's, which stays his.
    Memory(Foreign, std::shared_ptr<Context> context, abi::DevicePointer address)
        : context_(std::move(context)), address_(address), owned_(false) {}
    /// A part of `whole`, which keeps the account of its uses, too.
    Memory(std::shared_ptr<Context> context, std::shared_ptr<Memory> whole, std::size_t offset)
        : context_(std::move(context)), address_(whole->address() + offset), owned_(false), whole_(std::move(whole)) {}
    ~Memory() override;

    std::optional<backend::NativeHandle> native_handle() const override {
        return static_cast<backend::NativeHandle>(address_);
    }
    std::size_t address_alignment() const noexcept override {
        return static_cast<std::size_t>(address_ & (~address_ + 1));
    }
    abi::DevicePointer address() const noexcept { return address_; }
    Context& context() const noexcept { return *context_; }
    /// The command that `stream` is given next uses the block.
    void used_by(const std::shared_ptr<Stream>& stream);

private:
    struct Use {
        std::shared_ptr<Stream> stream;
        std::uint64_t number;
    };

    std::shared_ptr<Context> context_;
    abi::DevicePointer address_ = 0;
    bool owned_ = true;
    std::shared_ptr<Memory> whole_;
    std::mutex mutex_;
    std::vector<Use> uses_; ///< one a stream
};

} // namespace devq::cuda
