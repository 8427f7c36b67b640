#include "fake_device.hpp"
#include "builtin.hpp"
#include "state.hpp"

namespace ops_test {

namespace {

using namespace devq;

class FakeMemory final : public backend::Memory {};

class FakeEvent final : public backend::Event {
public:
    bool done() override { return true; }
    void wait() override {}
    std::uint64_t timestamp_ns() override { return 0; }
};

class FakeKernel final : public backend::Kernel {
public:
    explicit FakeKernel(std::string name) : name(std::move(name)) {}
    const std::string name;
};

class FakeProgram final : public backend::Program {
public:
    explicit FakeProgram(std::shared_ptr<Log> log) : log_(std::move(log)) {}
    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override {
        auto made = std::make_shared<FakeKernel>(name);
        const std::lock_guard lock(log_->mutex);
        log_->kernels.push_back(made);
        return made;
    }
    const std::string& log() const override { return text_; }

private:
    std::shared_ptr<Log> log_;
    std::string text_;
};

class FakeQueue final : public backend::Queue {
public:
    explicit FakeQueue(std::shared_ptr<Log> log) : log_(std::move(log)) {}
    void write(const std::shared_ptr<backend::Memory>&, std::size_t, const void*, std::size_t) override {}
    void read(void*, const std::shared_ptr<backend::Memory>&, std::size_t, std::size_t) override {}
    void copy(const std::shared_ptr<backend::Memory>&, std::size_t, const std::shared_ptr<backend::Memory>&,
              std::size_t, std::size_t) override {}
    void fill(const std::shared_ptr<backend::Memory>&, std::size_t, std::size_t, const void*, std::size_t) override {}
    void launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                std::span<const backend::Argument> arguments) override {
        const std::lock_guard lock(log_->mutex);
        log_->launches.push_back({dynamic_cast<FakeKernel&>(*kernel).name, range, arguments.size()});
    }
    std::shared_ptr<backend::Event> record() override { return std::make_shared<FakeEvent>(); }
    void wait_for(const std::shared_ptr<backend::Event>&) override {}
    void flush() override {}
    void wait() override {}

private:
    std::shared_ptr<Log> log_;
};

class FakeDevice final : public backend::Device {
public:
    FakeDevice(std::shared_ptr<Log> log, Capabilities capabilities)
        : log_(std::move(log)), capabilities_(std::move(capabilities)) {}
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::opencl_c; }
    std::shared_ptr<backend::Memory> allocate(std::size_t) override { return std::make_shared<FakeMemory>(); }
    std::unique_ptr<backend::Queue> create_queue() override { return std::make_unique<FakeQueue>(log_); }
    backend::VendorSupport supports(const backend::MatmulDescription& description) override {
        const std::lock_guard lock(log_->mutex);
        log_->products.push_back(description);
        return {{}, 0, "the fake device's library knows nothing"};
    }
    backend::VendorSupport supports(const backend::ConvolutionDescription& description) override {
        const std::lock_guard lock(log_->mutex);
        log_->convolutions.push_back(description);
        return {{}, 0, "the fake device's library knows nothing"};
    }
    std::shared_ptr<backend::Program> build(const backend::ProgramSource& source) override {
        const std::lock_guard lock(log_->mutex);
        log_->builds.push_back(source);
        return std::make_shared<FakeProgram>(log_);
    }

private:
    std::shared_ptr<Log> log_;
    Capabilities capabilities_;
};

} // namespace

Fake fake(const std::string& device_class, unsigned vector_width, std::size_t largest_group) {
    Fake made;
    Capabilities capabilities;
    capabilities.device_class = device_class;
    capabilities.vector_width = vector_width;
    capabilities.max_group_items = largest_group;
    capabilities.max_group = {largest_group, largest_group, largest_group};
    capabilities.local_memory_bytes = 64 << 10;
    capabilities.max_allocation_bytes = std::uint64_t{1} << 40;
    auto state = std::make_shared<detail::DeviceState>();
    state->info.id = "fake:0";
    state->info.compute_units = 2;
    state->device = std::make_shared<FakeDevice>(made.log, capabilities);
    state->builtins = detail::make_builtin_kernels();
    made.device = Device(state);
    made.queue = made.device.create_queue();
    return made;
}

} // namespace ops_test
