#include "kernel.hpp"
#include "check.hpp"
#include <cassert>
#include <cstring>

namespace devq::opencl {

Kernel::Kernel(std::shared_ptr<Context> context, cl::Program program, const std::string& name)
    : context_(std::move(context)), program_(std::move(program)), name_(name) {
    auto first = std::make_unique<Clone>();
    first->kernel = create();
    translated([&] {
        local_bytes_ = first->kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(context_->device);
        max_group_items_ = first->kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(context_->device);
    });
    free_.push_back(std::move(first));
}

cl::Kernel Kernel::create() const {
    cl_int status = CL_SUCCESS;
    cl::Kernel kernel(clCreateKernel(program_(), name_.c_str(), &status));
    if (status != CL_SUCCESS)
        throw error_from(status, "clCreateKernel", "no kernel \"" + name_ + '"');
    return kernel;
}

Kernel::~Kernel() {
    for (const auto& clone : free_)
        forget_at_exit(clone->kernel);
    forget_at_exit(program_);
}

void Kernel::set_argument(Clone& clone, std::size_t index, const backend::Argument& argument) {
    Held now;
    const void* value = argument.value;
    std::size_t size = argument.size;
    switch (argument.kind) {
    case backend::Argument::Kind::buffer: {
        static constexpr cl_mem none = nullptr; // a buffer of no bytes
        const auto* memory = static_cast<const Memory*>(argument.memory.get());
        now.kind = Held::Kind::buffer;
        now.buffer = memory ? memory->identity() : 0;
        value = memory ? &memory->handle() : &none;
        size = sizeof(cl_mem);
        break;
    }
    case backend::Argument::Kind::value:
        if (size <= now.bytes.size()) {
            now.kind = Held::Kind::value;
            std::memcpy(now.bytes.data(), value, size);
        }
        break;
    case backend::Argument::Kind::local:
        now.kind = Held::Kind::local;
        value = nullptr;
        break;
    }
    now.size = size;

    Held& held = clone.held[index];
    if (now.kind != Held::Kind::nothing && now.kind == held.kind && now.size == held.size &&
        now.buffer == held.buffer && now.bytes == held.bytes)
        return;
    held.kind = Held::Kind::nothing;
    const cl_int status = clSetKernelArg(clone.kernel(), static_cast<cl_uint>(index), size, value);
    if (status != CL_SUCCESS)
        throw error_from(status, "clSetKernelArg", "argument " + std::to_string(index) + " is refused");
    held = now;
}

cl_event Kernel::enqueue(cl_command_queue queue, const backend::LaunchRange& range,
                         std::span<const backend::Argument> arguments) {
    struct Taken { // gives the clone back however the launch ends
        Kernel& kernel;
        std::unique_ptr<Clone> clone;
        explicit Taken(Kernel& from) : kernel(from) {
            std::lock_guard lock(kernel.mutex_);
            if (!kernel.free_.empty()) {
                clone = std::move(kernel.free_.back());
                kernel.free_.pop_back();
            }
        }
        ~Taken() {
            if (!clone)
                return;
            std::lock_guard lock(kernel.mutex_);
            kernel.free_.push_back(std::move(clone)); // there is room: no allocation
        }
    } taken(*this);
    if (!taken.clone) {
        auto made = std::make_unique<Clone>();
        made->kernel = create();
        std::lock_guard lock(mutex_);
        free_.reserve(++clones_);
        taken.clone = std::move(made);
    }
    Clone& clone = *taken.clone;
    if (clone.held.size() < arguments.size())
        clone.held.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i)
        set_argument(clone, i, arguments[i]);
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue, clone.kernel(), range.dimensions, nullptr, range.global.data(),
                                 range.local.data(), 0, nullptr, &event),
          "clEnqueueNDRangeKernel");
    return event;
}

} // namespace devq::opencl
