#include "sharing.hpp"
#include <devq/opencl.hpp>

namespace devq::opencl {

using backend::NativeHandle;
using detail::Sharing;

namespace {

constexpr const char* name = "opencl";

template <class Object>
Object* pointer(NativeHandle handle) noexcept {
    return reinterpret_cast<Object*>(handle);
}

NativeHandle handle(const void* pointer) noexcept { return reinterpret_cast<NativeHandle>(pointer); }

} // namespace

_cl_device_id* device_id(const Device& device) {
    return pointer<_cl_device_id>(Sharing{name, "opencl::device_id"}.device(device));
}

_cl_context* context(const Device& device) {
    return pointer<_cl_context>(Sharing{name, "opencl::context"}.context(device));
}

_cl_command_queue* command_queue(const Queue& queue) {
    return pointer<_cl_command_queue>(Sharing{name, "opencl::command_queue"}.queue(queue));
}

_cl_mem* mem(const Buffer& buffer) { return pointer<_cl_mem>(Sharing{name, "opencl::mem"}.memory(buffer)); }

_cl_event* event(const Event& event) { return pointer<_cl_event>(Sharing{name, "opencl::event"}.event(event)); }

Device wrap_device(_cl_context* context, _cl_device_id* device) {
    const Sharing sharing{name, "opencl::wrap_device"};
    sharing.check_pointer(context, "cl_context");
    sharing.check_pointer(device, "cl_device_id");
    return sharing.wrap_device(handle(device), handle(context));
}

Queue wrap_queue(const Device& device, _cl_command_queue* queue) {
    const Sharing sharing{name, "opencl::wrap_queue"};
    sharing.check_pointer(queue, "cl_command_queue");
    return sharing.wrap_queue(device, handle(queue));
}

Buffer wrap_buffer(const Device& device, _cl_mem* buffer) {
    const Sharing sharing{name, "opencl::wrap_buffer"};
    sharing.check_pointer(buffer, "cl_mem");
    return sharing.wrap_memory(device, handle(buffer));
}

Event wrap_event(const Device& device, _cl_event* event) {
    const Sharing sharing{name, "opencl::wrap_event"};
    sharing.check_pointer(event, "cl_event");
    return sharing.wrap_event(device, handle(event));
}

} // namespace devq::opencl
