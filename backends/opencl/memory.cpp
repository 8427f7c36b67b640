#include "memory.hpp"
#include "check.hpp"

namespace devq::opencl {

static std::uint64_t next_identity() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

Memory::Memory(std::shared_ptr<Context> context, cl::Buffer buffer)
    : context_(std::move(context)), buffer_(std::move(buffer)), identity_(next_identity()) {}

Memory::~Memory() { forget_at_exit(buffer_); }

std::shared_ptr<Memory> allocate(const std::shared_ptr<Context>& context, std::size_t bytes) {
    cl_int status = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(context->context(), CL_MEM_READ_WRITE, bytes, nullptr, &status);
    if (status == CL_INVALID_BUFFER_SIZE) // within what the device promises, and yet more than it gives
        status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (status != CL_SUCCESS)
        throw error_from(status, "clCreateBuffer", "no " + std::to_string(bytes) + " bytes of device memory");
    return std::make_shared<Memory>(context, cl::Buffer(buffer));
}

std::shared_ptr<Memory> import_memory(const std::shared_ptr<Context>& context, cl_mem memory, std::size_t& bytes) {
    cl_mem_object_type type = 0;
    check_handle(clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, nullptr), "clGetMemObjectInfo", "cl_mem");
    if (type != CL_MEM_OBJECT_BUFFER)
        throw Error(ErrorCode::invalid_argument, {}, "the cl_mem is an image or a pipe, no buffer",
                    "Pass a buffer (clCreateBuffer).");
    cl_context its = nullptr;
    check(clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof its, &its, nullptr), "clGetMemObjectInfo");
    context->check_same(its, "buffer");
    check(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr), "clGetMemObjectInfo");
    return std::make_shared<Memory>(context, cl::Buffer(memory, true));
}

} // namespace devq::opencl
