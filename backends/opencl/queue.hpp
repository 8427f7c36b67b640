#pragma once
#include "backend.hpp"
#include "command_log.hpp"
#include "context.hpp"

namespace devq::opencl {

class Queue final : public backend::Queue {
public:
    explicit Queue(std::shared_ptr<Context> context);
    /// One that others have made, of this context and device, and in order.
    Queue(std::shared_ptr<Context> context, cl_command_queue queue);
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
    std::shared_ptr<backend::Event> record() override;
    void wait_for(const std::shared_ptr<backend::Event>& event) override;
    void flush() override;
    void wait() override;
    std::optional<backend::NativeHandle> native_handle() const override { return to_native(queue_()); }

    cl_command_queue handle() const noexcept { return queue_(); }

private:
    bool drops_commands() const;

    std::shared_ptr<Context> context_;
    cl::CommandQueue queue_;
    std::shared_ptr<CommandLog> log_;
};

} // namespace devq::opencl
