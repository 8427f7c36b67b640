#include "check.hpp"
#include "device.hpp"
#include "identity.hpp"
#include "verify.hpp"
#include <array>
#include <string>

namespace devq::opencl {

namespace {

using backend::Claim;

/// Runs `check`, which says what is wrong; a failure on the way is what is wrong, but the loss of the device is thrown.
template <class Check>
void verify(Claim& claim, Check&& check) {
    try {
        claim.reason = check();
        claim.verified = claim.reason.empty() ? 1 : 0;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::device_lost)
            throw;
        claim.reason = error.what();
        claim.verified = 0;
    }
}

/// The host writes into mapped memory and the device has it; the device writes and the host sees it.
std::string map_fault(const Context& context) {
    return translated([&]() -> std::string {
        using Numbers = std::array<cl_int, 256>;
        const cl::CommandQueue queue(context.context, context.device);
        const cl::Buffer buffer(context.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, sizeof(Numbers));
        const auto map = [&](cl_map_flags access) {
            return static_cast<cl_int*>(queue.enqueueMapBuffer(buffer, CL_TRUE, access, 0, sizeof(Numbers)));
        };
        cl_int* mapped = map(CL_MAP_WRITE);
        for (cl_int i = 0; i < cl_int(Numbers().size()); ++i)
            mapped[i] = i * 3;
        queue.enqueueUnmapMemObject(buffer, mapped);
        Numbers back{};
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof back, back.data());
        bool right = true;
        for (cl_int i = 0; i < cl_int(back.size()); ++i)
            right = right && back[std::size_t(i)] == i * 3;
        queue.enqueueFillBuffer(buffer, cl_int{77}, 0, sizeof(Numbers));
        mapped = map(CL_MAP_READ);
        for (std::size_t i = 0; i < back.size(); ++i)
            right = right && mapped[i] == 77;
        queue.enqueueUnmapMemObject(buffer, mapped);
        queue.finish();
        return right ? "" : "host and device see different bytes";
    });
}

std::string platform_version(cl_device_id device) {
    return translated([&] {
        const cl::Platform platform(info_of<cl_platform_id>(device, CL_DEVICE_PLATFORM), true);
        return platform.getInfo<CL_PLATFORM_NAME>() + ", " + platform.getInfo<CL_PLATFORM_VERSION>();
    });
}

} // namespace

backend::Examination Device::examine() {
    const cl_device_id device = context_->device();
    const std::string extensions = ' ' + text_of(device, CL_DEVICE_EXTENSIONS) + ' ';
    const auto offers = [&](const char* extension) {
        return std::uint64_t{extensions.find(' ' + std::string(extension) + ' ') != std::string::npos};
    };
    Claim half{"f16_arithmetic", offers("cl_khr_fp16"), {}, {}};
    if (*half.advertised != 0)
        verify(half, [&] { return half_fault(*this); });
    std::size_t room = 0; // a driver of before 1.2 does not know the question
    static_cast<void>(clGetDeviceInfo(device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof room, &room, nullptr));
    Claim map{"mapped_memory", 1, {}, {}};
    verify(map, [&] { return map_fault(*context_); });
    const auto queues = info_of<cl_command_queue_properties>(device, CL_DEVICE_QUEUE_PROPERTIES);

    backend::Examination result;
    result.claims = {half,
                     map,
                     {"printf", room > 0 ? 1 : 0, {}, {}},
                     {"atomics_32", 1, {}, {}}, // core since 1.1
                     {"atomics_64", offers("cl_khr_int64_base_atomics"), {}, {}},
                     {"event_timing", (queues & CL_QUEUE_PROFILING_ENABLE) != 0 ? 1 : 0, {}, {}}};
    result.versions = {{"platform", platform_version(device)},
                       {"device", text_of(device, CL_DEVICE_VERSION)},
                       {"opencl_c", text_of(device, CL_DEVICE_OPENCL_C_VERSION)},
                       {"driver", text_of(device, CL_DRIVER_VERSION)}};
    return result;
}

} // namespace devq::opencl
