#include "claims.hpp"
#include "compiler.hpp"
#include "device.hpp"
#include "stream.hpp"
#include <algorithm>
#include <cstring>
#include <fstream>

namespace devq::cuda {

namespace {

/// Host memory that the device reads and writes by itself; freed with the object.
struct Pinned {
    explicit Pinned(Context& of, std::size_t bytes) : context(of) {
        context.check(context.driver().host_alloc(&memory, bytes, 0), "cuMemHostAlloc");
    }
    ~Pinned() {
        if (context.try_enter())
            context.note(context.driver().host_free(memory), "cuMemFreeHost");
    }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    Context& context;
    void* memory = nullptr;
};

/// Bytes go from pinned memory to the device and back, and are the same.
backend::Claim pinned_memory(Device& device, const std::shared_ptr<Context>& context) {
    constexpr std::size_t bytes = 4096;
    backend::Claim claim{"pinned_memory", 1, 0, {}};
    try {
        context->enter();
        const auto block = device.allocate(bytes);
        const abi::DevicePointer address = *block->native_handle();
        const Pinned there(*context, bytes), back(*context, bytes); // first to be made, last to go: behind the wait
        Stream stream(context);
        for (std::size_t i = 0; i < bytes; ++i)
            static_cast<unsigned char*>(there.memory)[i] = static_cast<unsigned char>(i * 7);
        std::memset(back.memory, 0, bytes);
        const Driver& driver = context->driver();
        context->check(driver.copy_in(address, there.memory, bytes, stream.handle()), "cuMemcpyHtoDAsync");
        context->check(driver.copy_out(back.memory, address, bytes, stream.handle()), "cuMemcpyDtoHAsync");
        stream.wait();
        claim.verified = std::memcmp(there.memory, back.memory, bytes) == 0 ? 1 : 0;
        claim.reason = *claim.verified != 0 ? "" : "other bytes came back";
    } catch (const Error& error) {
        if (error.code() == ErrorCode::device_lost)
            throw;
        claim.reason = error.what();
    }
    return claim;
}

} // namespace

backend::Examination Device::examine() {
    backend::Examination result;
    result.claims = detail::claims_of_front_end();
    result.claims.push_back(pinned_memory(*this, context_));
    int version = 0;
    const bool told = context_->driver().driver_version(&version) == abi::success && version > 0;
    result.versions = {{"driver", told ? "for CUDA " + version_text(version) : "does not tell"}};
    std::ifstream file("/proc/driver/nvidia/version");
    if (std::string line; std::getline(file, line))
        result.versions.emplace_back("kernel_driver", line);
    result.versions.emplace_back("nvrtc", std::to_string(compiler_->major) + '.' + std::to_string(compiler_->minor) +
                                              " (" + compiler_->file + ')');
    result.versions.emplace_back("compiles_for",
                                 target_.name() + (target_.machine_code ? "" : " (PTX, which the driver compiles)"));
    for (auto& version : vendor_->versions())
        result.versions.push_back(std::move(version));
    return result;
}

} // namespace devq::cuda
