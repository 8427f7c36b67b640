#include "check.hpp"
#include "device.hpp"
#include "identity.hpp"
#include "verify.hpp"
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace devq::opencl {

namespace {

using backend::Claim;

/// Catches what the process writes to stdout, which is where drivers put what kernels print.
class StdoutCatch {
public:
    StdoutCatch() : file_(::memfd_create("devq-printf", MFD_CLOEXEC)) {
        std::fflush(stdout);
        before_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (file_ >= 0 && before_ >= 0)
            ::dup2(file_, STDOUT_FILENO);
    }
    ~StdoutCatch() { release(); }
    StdoutCatch(const StdoutCatch&) = delete;
    StdoutCatch& operator=(const StdoutCatch&) = delete;

    /// What has been written; stdout is as before from here on.
    std::string text() {
        release();
        std::array<char, 256> bytes{};
        const ssize_t size = file_ >= 0 ? ::pread(file_, bytes.data(), bytes.size(), 0) : 0;
        if (file_ >= 0)
            ::close(file_);
        file_ = -1;
        return {bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
    }

private:
    void release() noexcept {
        if (before_ < 0)
            return;
        std::fflush(stdout);
        ::dup2(before_, STDOUT_FILENO);
        ::close(before_);
        before_ = -1;
    }
    int file_, before_ = -1;
};

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

std::string print_fault(Device& device) {
    backend::ProgramSource source; // past devq's front end, which has no printf: this is about the driver
    source.text = "kernel void devq_print(int value) { printf(\"devq %d\\n\", value); }";
    source.file_name = "print.cl";
    const auto kernel = device.build(source)->kernel("devq_print");
    const auto queue = device.create_queue();
    const int value = 4711;
    std::array<backend::Argument, 1> arguments;
    arguments[0].value = &value;
    arguments[0].size = sizeof value;
    StdoutCatch printed;
    queue->launch(kernel, {}, arguments);
    queue->wait();
    const std::string text = printed.text();
    return text.find("devq 4711") != text.npos ? "" : "a kernel's output does not arrive on stdout";
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
    Claim print{"printf", room > 0 ? 1 : 0, {}, {}};
    if (room > 0)
        verify(print, [&] { return print_fault(*this); });
    Claim map{"mapped_memory", 1, {}, {}};
    verify(map, [&] { return map_fault(*context_); });
    const auto queues = info_of<cl_command_queue_properties>(device, CL_DEVICE_QUEUE_PROPERTIES);

    backend::Examination result;
    result.claims = {half,
                     print,
                     map,
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
