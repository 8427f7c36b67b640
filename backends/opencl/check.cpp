#include "check.hpp"

namespace devq::opencl {

namespace {

constexpr cl_int platform_not_found_khr = -1001; // cl_khr_icd: no platform is registered
constexpr cl_int nvidia_illegal_access = -9999;  // what NVIDIA's driver ends a command with that touched foreign memory

struct Meaning {
    ErrorCode code;
    const char* problem;
    const char* advice;
};

Meaning meaning(cl_int status) {
    switch (status) {
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return {ErrorCode::out_of_memory, "the device has too little memory or other resources",
                "Free buffers, use smaller ones or smaller work-groups, or split the work."};
    case CL_OUT_OF_HOST_MEMORY:
        return {ErrorCode::out_of_memory, "the driver has too little host memory",
                "Free host memory or split the work."};
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
    case nvidia_illegal_access:
        return {ErrorCode::device_lost, "the device can no longer be used",
                "Start the process again; when a kernel caused it, look for accesses outside of its buffers."};
    case CL_PROFILING_INFO_NOT_AVAILABLE:
        return {ErrorCode::unsupported, "the command was not timed",
                "Create the queue with CL_QUEUE_PROFILING_ENABLE, and take no event that the host sets."};
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_BUILD_OPTIONS:
        return {ErrorCode::build_failed, "the kernel does not compile", "Correct the lines that the log names."};
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_LINKER_NOT_AVAILABLE:
        return {ErrorCode::unsupported, "the driver has no compiler",
                "Use another device, or install the whole driver."};
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        return {ErrorCode::unavailable, "a command that this one had waited for failed",
                "Read the failure of the other queue; it names the cause."};
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
        return {ErrorCode::invalid_argument, "the work-group does not suit the device, the kernel or the range",
                "Use a group that divides the range and is within the limits of the kernel."};
    case CL_INVALID_KERNEL_ARGS:
    case CL_INVALID_ARG_INDEX:
    case CL_INVALID_ARG_VALUE:
    case CL_INVALID_ARG_SIZE:
        return {ErrorCode::invalid_argument, "an argument does not suit the kernel's parameter",
                "Compare the arguments with the kernel's parameters."};
    case platform_not_found_khr:
        return {ErrorCode::unavailable, "no OpenCL driver is installed", "Install one, for instance pocl-opencl-icd."};
    default:
        break;
    }
    if (status == CL_MEM_COPY_OVERLAP || (status <= CL_INVALID_VALUE && status > -100))
        return {ErrorCode::invalid_argument, "the driver refuses the call", "Check sizes, offsets and handles."};
    return {ErrorCode::unavailable, "the driver failed", "Look into the system's log; update or replace the driver."};
}

} // namespace

std::string status_name(cl_int status) {
#define DEVQ_NAME(code)                                                                                                \
    case code:                                                                                                         \
        return #code
    switch (status) {
        DEVQ_NAME(CL_SUCCESS);
        DEVQ_NAME(CL_DEVICE_NOT_FOUND);
        DEVQ_NAME(CL_DEVICE_NOT_AVAILABLE);
        DEVQ_NAME(CL_COMPILER_NOT_AVAILABLE);
        DEVQ_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        DEVQ_NAME(CL_OUT_OF_RESOURCES);
        DEVQ_NAME(CL_OUT_OF_HOST_MEMORY);
        DEVQ_NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        DEVQ_NAME(CL_MEM_COPY_OVERLAP);
        DEVQ_NAME(CL_IMAGE_FORMAT_MISMATCH);
        DEVQ_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        DEVQ_NAME(CL_BUILD_PROGRAM_FAILURE);
        DEVQ_NAME(CL_MAP_FAILURE);
        DEVQ_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        DEVQ_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        DEVQ_NAME(CL_COMPILE_PROGRAM_FAILURE);
        DEVQ_NAME(CL_LINKER_NOT_AVAILABLE);
        DEVQ_NAME(CL_LINK_PROGRAM_FAILURE);
        DEVQ_NAME(CL_DEVICE_PARTITION_FAILED);
        DEVQ_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        DEVQ_NAME(CL_INVALID_VALUE);
        DEVQ_NAME(CL_INVALID_DEVICE_TYPE);
        DEVQ_NAME(CL_INVALID_PLATFORM);
        DEVQ_NAME(CL_INVALID_DEVICE);
        DEVQ_NAME(CL_INVALID_CONTEXT);
        DEVQ_NAME(CL_INVALID_QUEUE_PROPERTIES);
        DEVQ_NAME(CL_INVALID_COMMAND_QUEUE);
        DEVQ_NAME(CL_INVALID_HOST_PTR);
        DEVQ_NAME(CL_INVALID_MEM_OBJECT);
        DEVQ_NAME(CL_INVALID_BINARY);
        DEVQ_NAME(CL_INVALID_BUILD_OPTIONS);
        DEVQ_NAME(CL_INVALID_PROGRAM);
        DEVQ_NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        DEVQ_NAME(CL_INVALID_KERNEL_NAME);
        DEVQ_NAME(CL_INVALID_KERNEL_DEFINITION);
        DEVQ_NAME(CL_INVALID_KERNEL);
        DEVQ_NAME(CL_INVALID_ARG_INDEX);
        DEVQ_NAME(CL_INVALID_ARG_VALUE);
        DEVQ_NAME(CL_INVALID_ARG_SIZE);
        DEVQ_NAME(CL_INVALID_KERNEL_ARGS);
        DEVQ_NAME(CL_INVALID_WORK_DIMENSION);
        DEVQ_NAME(CL_INVALID_WORK_GROUP_SIZE);
        DEVQ_NAME(CL_INVALID_WORK_ITEM_SIZE);
        DEVQ_NAME(CL_INVALID_GLOBAL_OFFSET);
        DEVQ_NAME(CL_INVALID_EVENT_WAIT_LIST);
        DEVQ_NAME(CL_INVALID_EVENT);
        DEVQ_NAME(CL_INVALID_OPERATION);
        DEVQ_NAME(CL_INVALID_BUFFER_SIZE);
        DEVQ_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
        DEVQ_NAME(CL_INVALID_PROPERTY);
        DEVQ_NAME(CL_INVALID_COMPILER_OPTIONS);
        DEVQ_NAME(CL_INVALID_LINKER_OPTIONS);
    case platform_not_found_khr:
        return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
        return "OpenCL status " + std::to_string(status);
    }
#undef DEVQ_NAME
}

Error error_from(cl_int status, std::string_view call, std::string_view problem) {
    const Meaning means = meaning(status);
    const std::string text = std::string(problem.empty() ? means.problem : problem) + ": " + status_name(status);
    return Error(means.code, {}, text, means.advice, std::string(call), status);
}

} // namespace devq::opencl
