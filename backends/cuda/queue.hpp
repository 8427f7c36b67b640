#pragma once
#include "backend.hpp"
#include "memory.hpp"
#include "staging.hpp"
#include "vendor.hpp"

namespace devq::cuda {

/// A stream. What fails on it while it runs is the loss of the device.
class Queue final : public backend::Queue {
public:
    Queue(std::shared_ptr<Context> context, std::shared_ptr<Vendor> vendor);
    /// On somebody else's stream, which stays his.
    Queue(std::shared_ptr<Context> context, std::shared_ptr<Vendor> vendor, abi::Stream stream);
    ~Queue() override;

    void write(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, const void* source,
               std::size_t bytes) override;
    void read(void* destination, const std::shared_ptr<backend::Memory>& source, std::size_t offset,
              std::size_t bytes) override;
    void copy(const std::shared_ptr<backend::Memory>& destination, std::size_t destination_offset,
              const std::shared_ptr<backend::Memory>& source, std::size_t source_offset, std::size_t bytes) override;
    void fill(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, std::size_t bytes,
              const void* pattern, std::size_t pattern_size) override;
    void launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                std::span<const backend::Argument> arguments) override;
    void matmul(const backend::MatmulDescription& description, const backend::MatmulOperands& operands) override;
    void convolve(const backend::ConvolutionDescription& description,
                  const backend::ConvolutionOperands& operands) override;
    std::shared_ptr<backend::Event> record() override;
    void wait_for(const std::shared_ptr<backend::Event>& event) override;
    void flush() override {} ///< the driver hands commands over by itself
    void wait() override;
    std::shared_ptr<backend::Sequence> capture(const std::function<void()>& commands) override;
    void replay(const std::shared_ptr<backend::Sequence>& sequence) override;
    std::optional<backend::NativeHandle> native_handle() const override {
        return reinterpret_cast<backend::NativeHandle>(stream_->handle());
    }

private:
    void multiply_list(const backend::MatmulDescription& description, const backend::MatmulOperands& operands);
    Memory& use(const std::shared_ptr<backend::Memory>& memory);
    abi::DevicePointer use(const backend::Place& place) {
        return place.memory ? use(place.memory).address() + place.offset : 0;
    }

    std::shared_ptr<Context> context_;
    std::shared_ptr<Vendor> vendor_;
    std::shared_ptr<Stream> stream_;
    Staging staging_;
    bool captures_ = false; ///< stream_ is one that takes commands for a graph
    std::vector<std::shared_ptr<Memory>> captured_;
};

} // namespace devq::cuda
