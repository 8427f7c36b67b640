#pragma once
/// Sharing with OpenCL code: devq's objects give the OpenCL handles behind them, and take handles that others have
/// made. Nothing is copied. No OpenCL header is needed here; CL/cl.h's cl_mem is the `_cl_mem*` below, and so on.
///
/// Handles that devq gives are lent: they live as long as the devq object; whoever wants one for longer retains it
/// (clRetainMemObject, ...). Of handles that devq takes it keeps a share, so the giver may release its own at once.
///
/// Both sides may submit to one queue in turn, or from several threads: what is submitted first runs first. Objects of
/// different contexts cannot be mixed, so either take context and device from devq, or give devq yours.
///
/// Every function throws unsupported for a device of another backend, and invalid_argument for an empty or null handle.

#include <devq/api.hpp>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/event.hpp>
#include <devq/queue.hpp>

struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;

namespace devq::opencl {

DEVQ_API _cl_device_id* device_id(const Device& device);
/// The context of every queue, buffer and event of this device.
DEVQ_API _cl_context* context(const Device& device);
/// All that devq::Queue was asked for before this call is in the queue then; while the queue waits for another device's
/// work, the call blocks. In order, with profiling.
DEVQ_API _cl_command_queue* command_queue(const Queue& queue);
/// Null for a buffer of 0 bytes. Its CL_MEM_SIZE may be more than the buffer's size. The caller orders its use of the
/// memory behind devq's: on one queue, or by events.
DEVQ_API _cl_mem* mem(const Buffer& buffer);
/// May stand in OpenCL's lists of events to wait for. Blocks as command_queue() does; throws the failure that the event
/// was recorded behind.
DEVQ_API _cl_event* event(const Event& event);

/// The device in a context of yours; the other functions then take what you made in it. Not the Device that
/// open_device() gives: buffers of the two cannot stand in one launch. The context may have other devices besides.
/// Throws invalid_argument when `devq list` does not show the device (a sub-device, for instance), or the context has
/// not this one.
DEVQ_API Device wrap_device(_cl_context* context, _cl_device_id* device);
/// Throws invalid_argument for a queue that is out of order, or of another context or device. elapsed_ms() needs
/// CL_QUEUE_PROFILING_ENABLE. The last devq::Queue waits for all that is in it. A failure of a command that devq has
/// not submitted is its submitter's to find.
DEVQ_API Queue wrap_queue(const Device& device, _cl_command_queue* queue);
/// A buffer of any kind and flags, sub-buffers too; images are refused. devq does not look at CL_MEM_READ_ONLY and the
/// like: do not let it write there. Each call gives a buffer of its own: where devq checks that arguments do not
/// overlap it knows nothing of two that share memory.
DEVQ_API Buffer wrap_buffer(const Device& device, _cl_mem* buffer);
/// For Queue::wait_for() of any device's queue. User events too: who waits for one blocks until it is set,
/// and with a driver that runs commands in clFlush (PoCL's "basic" device) so does whoever flushes a queue behind it.
DEVQ_API Event wrap_event(const Device& device, _cl_event* event);

} // namespace devq::opencl
