#pragma once
/// A device made for tests: host memory, one thread a queue, and faults on demand. It keeps the contract of backend.hpp
/// to the letter, so that what goes wrong is the runtime's doing.

#include "queue_state.hpp"
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fake {

using namespace devq;

/// Holds commands back until it is opened: makes a slow device without a clock.
class Gate {
public:
    void close();
    void open();
    void pass(); ///< blocks while closed

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool closed_ = false;
};

class Memory final : public backend::Memory {
public:
    Memory(std::shared_ptr<std::vector<std::byte>> all, std::size_t offset, std::size_t bytes, bool mapped)
        : all_(std::move(all)), data(std::span(*all_).subspan(offset, bytes)), mapped_(mapped) {}
    void* host_address() noexcept override { return mapped_ ? data.data() : nullptr; }
    std::optional<backend::NativeHandle> native_handle() const override {
        return reinterpret_cast<backend::NativeHandle>(data.data());
    }

private:
    std::shared_ptr<std::vector<std::byte>> all_;

public:
    const std::span<std::byte> data;
    std::shared_ptr<std::vector<std::byte>> all() const { return all_; }

private:
    bool mapped_;
};

class Event final : public backend::Event {
public:
    bool done() override;
    void wait() override;
    std::uint64_t timestamp_ns() override;
    void reach(std::exception_ptr failure);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool reached_ = false;
    std::exception_ptr failure_;
    std::uint64_t time_ = 0;
};

/// What a launch does; `arguments` and `values` are copies that live as long as the command.
struct Call {
    backend::LaunchRange range;
    std::vector<std::shared_ptr<backend::Memory>> memory; ///< of the arguments, null where it is not a buffer
    std::vector<std::vector<std::byte>> values;           ///< of the arguments, empty where it is not a value
    std::vector<std::size_t> sizes;

    template <class T>
    T value(std::size_t i) const {
        T made;
        std::memcpy(&made, values.at(i).data(), sizeof made);
        return made;
    }
    template <class T>
    T* pointer(std::size_t i) const {
        return reinterpret_cast<T*>(static_cast<Memory&>(*memory.at(i)).data.data());
    }
};

class Kernel final : public backend::Kernel {
public:
    explicit Kernel(std::function<void(const Call&)> body) : body(std::move(body)) {}
    std::size_t local_bytes() const override { return local; }
    std::size_t max_group_items() const override { return most_items; }
    std::function<void(const Call&)> body;
    std::size_t local = 0, most_items = 0;
};

class Program final : public backend::Program {
public:
    std::shared_ptr<backend::Kernel> kernel(const std::string&) override { return nullptr; }
    const std::string& log() const override { return log_; }

private:
    std::string log_;
};

/// Shared by a device and its queues, and by the test that looks on.
struct Plan {
    std::mutex mutex;
    std::vector<std::string> log; ///< commands in the order in which they ran
    int fail_after = -1;          ///< so many more commands run well, then one fails with `failure`
    std::exception_ptr failure;
    int refuse_after = -1; ///< so many more submissions are taken, then one is refused with `refusal`
    std::exception_ptr refusal;
    bool lost = false; ///< set by a failure with device_lost
    std::exception_ptr loss;
    std::size_t memory_left = ~std::size_t{0}; ///< of one allocation
    std::size_t memory_total = ~std::size_t{0};
    std::size_t given = 0; ///< bytes that the device has handed out
    int allocations = 0;   ///< that it was asked for
    int refuse_allocations = 0;
    bool captures = false; ///< queues can
    int captured = 0, replayed = 0;
    Gate gate;                  ///< every command passes it
    std::atomic<int> inside{0}; ///< threads inside one queue's calls: more than one is the runtime's fault
    std::atomic<int> crowded{0};

    void fail_next(ErrorCode code, int after = 0);
    void refuse_next(ErrorCode code, int after = 0);
    std::vector<std::string> taken();
};

class Queue final : public backend::Queue {
public:
    explicit Queue(std::shared_ptr<Plan> plan);
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
    void flush() override {}
    void wait() override;
    std::shared_ptr<backend::Sequence> capture(const std::function<void()>& commands) override;
    void replay(const std::shared_ptr<backend::Sequence>& sequence) override;

private:
    struct Command {
        std::string name;
        std::function<void()> work;
        std::shared_ptr<Event> event; ///< of a record
    };
    struct Sequence final : backend::Sequence {
        std::vector<Command> commands;
    };
    void add(std::string name, std::function<void()> work, std::shared_ptr<Event> event = nullptr);
    void run();
    void execute(Command& command);

    std::shared_ptr<Plan> plan_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Command> commands_;
    std::uint64_t added_ = 0, passed_ = 0;
    bool ends_ = false;
    Sequence* capture_ = nullptr; ///< commands go there
    std::exception_ptr failure_;
    std::atomic<bool> busy_ = false;
    std::thread thread_;
};

class Device final : public backend::Device {
public:
    Device();
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::opencl_c; }
    std::shared_ptr<backend::Memory> allocate(std::size_t bytes) override;
    bool has_parts() const override { return splits; }
    std::shared_ptr<backend::Memory> part(const std::shared_ptr<backend::Memory>& whole, std::size_t offset,
                                          std::size_t bytes) override;
    std::unique_ptr<backend::Queue> create_queue() override;
    std::shared_ptr<backend::Program> build(const backend::ProgramSource&) override;

    std::shared_ptr<Plan> plan = std::make_shared<Plan>();
    bool mapped = false; ///< memory has a host address
    bool splits = false; ///< memory can be used in parts
    bool as_a_whole = false;
    bool fails_as_a_whole() const override { return as_a_whole; }
    Capabilities capabilities_;
};

/// A device opened as the registry would, with its plan.
struct Opened {
    explicit Opened(std::string id = "fake:0", bool mapped = false);
    devq::Device device;
    std::shared_ptr<Plan> plan;
    std::shared_ptr<Device> native;

    devq::Kernel kernel(frontend::KernelSignature signature, std::function<void(const Call&)> body) const;
    /// A kernel without parameters that runs `body`.
    devq::Kernel task(std::function<void()> body) const;
    Buffer buffer(std::span<const int> values) const; ///< filled without a queue
};

frontend::Parameter pointer(std::string name);
frontend::Parameter value(std::string name, std::string type, frontend::ValueKind kind, std::size_t size);
/// All of an int buffer, read through a queue.
std::vector<int> read_ints(const devq::Queue& queue, const Buffer& buffer);
/// The code and operation of what `call` throws; fails the test when it throws nothing.
ErrorCode code_of(const std::function<void()>& call);
std::string message_of(const std::function<void()>& call);

} // namespace fake
