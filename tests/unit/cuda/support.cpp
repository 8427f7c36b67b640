#include "support.hpp"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <utility>

namespace devq::cuda_test {

const char* const echo_source = R"(
struct three { float x, y, z; };
kernel void echo(global uint* out, uint number, local float* first, struct three triple, local char* second,
                 global const float* other, double exact) {
    if (get_global_id(0) + get_global_id(1) + get_global_id(2) > 0)
        return;
    for (int d = 0; d < 3; d++) {
        out[d] = (uint)get_num_groups(d);
        out[3 + d] = (uint)get_local_size(d);
    }
    first[0] = triple.x;
    second[0] = 5;
    out[6] = (uint)((local char*)second - (local char*)first);
    out[7] = number;
    out[8] = (uint)first[0];
    out[9] = (uint)triple.y;
    out[10] = (uint)triple.z;
    out[11] = (uint)second[0];
    out[12] = (uint)other[0];
    out[13] = (uint)(exact * 100);
}
)";

unsigned long faults(const std::string& list) {
    using Function = unsigned long(const char*);
    static Function* const set = [] {
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        return reinterpret_cast<Function*>(library ? dlsym(library, "virtual_cuda_faults") : nullptr);
    }();
    if (set == nullptr)
        throw std::runtime_error("the stand-in for CUDA's driver is not loaded");
    return set(list.c_str());
}

Full::Full(Device device) : device_(std::move(device)) {
    set_memory_budget(device_, 1); // nothing more of the driver; what is cached goes to these
    for (std::size_t bytes = std::size_t{1} << 20; bytes >= 512; bytes /= 2)
        try {
            while (true)
                buffers_.push_back(device_.allocate(bytes));
        } catch (const Error&) {
            // The next smaller size.
        }
}

Full::~Full() { set_memory_budget(device_, 0); }

bool have_compiler() {
    if (std::getenv("DEVQ_TEST_NO_NVRTC") == nullptr)
        return true;
    std::printf("skipped: nvrtc: no NVRTC on this machine\n");
    return false;
}

std::vector<unsigned char> bytes_of(std::size_t count, unsigned seed) {
    std::vector<unsigned char> bytes(count);
    for (unsigned char& byte : bytes) {
        seed = seed * 1664525u + 1013904223u;
        byte = static_cast<unsigned char>(seed >> 24);
    }
    return bytes;
}

std::vector<unsigned char> contents(const Queue& queue, const Buffer& buffer) {
    std::vector<unsigned char> bytes(buffer.size());
    queue.read(bytes.data(), buffer, 0, bytes.size());
    return bytes;
}

} // namespace devq::cuda_test
