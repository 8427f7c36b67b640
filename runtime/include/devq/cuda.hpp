#pragma once
/// Sharing with CUDA code: as devq/opencl.hpp, for the driver's interface (cuda.h), of which the runtime's types are
/// other names: cudaStream_t is `CUstream_st*`, cudaEvent_t `CUevent_st*`, and device memory is an address in both. No
/// CUDA header is needed here. devq works in the device's primary context, which the CUDA runtime uses as well.
///
/// CUDA counts no shares: what devq gives lives as long as the devq object; what devq takes has to live until the devq
/// object is gone.
///
/// Every function throws unsupported for a device of another backend or where the backend cannot, and invalid_argument
/// for an empty handle.

#include <cstddef>
#include <cstdint>
#include <devq/api.hpp>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/event.hpp>
#include <devq/queue.hpp>
#include <memory>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;

namespace devq::cuda {

/// CUdevice: the number by which CUDA knows the device.
DEVQ_API int device_number(const Device& device);
DEVQ_API CUctx_st* context(const Device& device);
/// All that devq::Queue was asked for before this call is in the stream then; while the queue waits for another
/// device's work, the call blocks.
DEVQ_API CUstream_st* stream(const Queue& queue);
/// CUdeviceptr, of which a pointer to device memory is another form; 0 for a buffer of 0 bytes. The caller orders its
/// use of the memory behind devq's: on one stream, or by events.
DEVQ_API std::uint64_t address(const Buffer& buffer);
/// Blocks as stream() does; throws the failure that the event was recorded behind.
DEVQ_API CUevent_st* event(const Event& event);

/// Null: CUDA's default stream.
DEVQ_API Queue wrap_stream(const Device& device, CUstream_st* stream);
/// `bytes` of device memory at `address`, aligned to 16 bytes at least. `owner` is kept until devq's last use of the
/// memory has ended: a pointer whose deleter frees the memory, or null when the memory stays anyway.
DEVQ_API Buffer wrap_memory(const Device& device, std::uint64_t address, std::size_t bytes,
                            std::shared_ptr<void> owner = nullptr);
/// Recorded already. For Queue::wait_for() of any device's queue.
DEVQ_API Event wrap_event(const Device& device, CUevent_st* event);

} // namespace devq::cuda
