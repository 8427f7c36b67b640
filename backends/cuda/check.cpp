#include "check.hpp"

namespace devq::cuda {

namespace {

struct Meaning {
    ErrorCode code;
    const char* problem;
    const char* advice;
};

constexpr const char* look_at_kernel = "Start the process again; look for accesses outside of its buffers in the "
                                       "kernels that ran (compute-sanitizer finds "
                                       "them).";

Meaning meaning(abi::Result result) {
    switch (result) {
    case abi::out_of_memory:
        return {ErrorCode::out_of_memory, "the device has too little memory",
                "Free buffers, use smaller ones, or split the work."};
    case abi::launch_out_of_resources:
        return {ErrorCode::out_of_memory, "the device has too few registers or too little local memory for the launch",
                "Use smaller work-groups or less local memory."};
    case abi::illegal_address:
    case abi::misaligned_address:
    case abi::invalid_address_space:
        return {ErrorCode::device_lost, "a kernel touched memory that it may not, and the device was lost",
                look_at_kernel};
    case abi::launch_timeout:
        return {ErrorCode::device_lost, "a kernel ran longer than the system allows, and the device was lost",
                "Start the process again with smaller launches, or use a GPU that drives no display."};
    case abi::ecc_uncorrectable:
        return {ErrorCode::device_lost, "the GPU's memory has an error that cannot be corrected",
                "Start the process again; if it comes back, the GPU is damaged."};
    case abi::assert_failed:
    case abi::hardware_stack_error:
    case abi::illegal_instruction:
    case abi::invalid_program_counter:
    case abi::launch_failed:
        return {ErrorCode::device_lost, "a kernel failed, and the device was lost", look_at_kernel};
    case abi::no_binary_for_gpu:
    case abi::invalid_image:
        return {ErrorCode::unavailable, "the driver does not take the compiled kernel",
                "Let NVRTC be of the driver's own version of CUDA (DEVQ_NVRTC), or update the driver."};
    case abi::unsupported_ptx_version:
        return {ErrorCode::unavailable, "the driver is too old for the PTX of this NVRTC",
                "Update the driver, or let DEVQ_NVRTC name an NVRTC of the driver's own version of CUDA."};
    case abi::invalid_ptx:
        return {ErrorCode::build_failed, "the driver's compiler refuses the kernel",
                "Correct what the log names; if it names nothing of the source, report it."};
    case abi::jit_compiler_not_found:
    case abi::jit_compilation_disabled:
        return {ErrorCode::unavailable, "the driver cannot compile PTX",
                "Install the whole driver (libnvidia-ptxjitcompiler), and unset CUDA_DISABLE_PTX_JIT."};
    case abi::device_unavailable:
        return {ErrorCode::unavailable, "the device is busy or set aside for another process",
                "End the other process, or change the GPU's compute mode."};
    case abi::not_supported:
        return {ErrorCode::unsupported, "the device or its driver cannot do this", "Use another device."};
    case abi::invalid_value:
    case abi::invalid_handle:
    case abi::not_found:
        return {ErrorCode::invalid_argument, "the driver refuses the call", "Check sizes, names and handles."};
    case abi::deinitialized:
        return {ErrorCode::unavailable, "the driver has been shut down", "Use no device while the process ends."};
    default:
        return {ErrorCode::unavailable, "the driver failed",
                "Look at `nvidia-smi` and into the system's log; update or install the driver again."};
    }
}

} // namespace

std::string result_name(const Driver& driver, abi::Result result) {
    const char* name = nullptr;
    if (driver.error_name != nullptr && driver.error_name(result, &name) == abi::success && name != nullptr)
        return name;
    return "CUDA error " + std::to_string(result);
}

bool is_sticky(abi::Result result) noexcept { return meaning(result).code == ErrorCode::device_lost; }

Error error_from(const Driver& driver, abi::Result result, std::string_view call, std::string_view problem) {
    const Meaning means = meaning(result);
    const std::string text =
        std::string(problem.empty() ? means.problem : problem) + ": " + result_name(driver, result);
    return Error(means.code, {}, text, means.advice, std::string(call), result);
}

} // namespace devq::cuda
