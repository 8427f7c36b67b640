#include "devices.hpp"
#include <cstdlib>

namespace each_device {

const char* source() {
    return R"(
struct shape { int rows; int columns; };
kernel void scale(global float* data, float factor, uint n) {
    size_t i = get_global_id(0);
    if (i < n) data[i] *= factor;
}
kernel void reverse(global const int* in, global int* out, local int* scratch) {
    size_t i = get_local_id(0), n = get_local_size(0), base = get_group_id(0) * n;
    scratch[i] = in[base + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + i] = scratch[n - 1 - i];
}
kernel void describe(global long* out, struct shape s, float4 v, char c, ulong u) {
    out[0] = s.rows * 1000 + s.columns;
    out[1] = (long)(v.x + 10 * v.y + 100 * v.z + 1000 * v.w);
    out[2] = c;
    out[3] = (long)u;
}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int* out) {
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (int)(get_local_size(0) * 10 + get_local_size(1));
}
kernel void count(global int* out, int start) {
    out[get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2))] =
        start + (int)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2));
}
)";
}

const std::vector<Opened>& all() {
    static const auto* opened = [] {
        auto* made = new std::vector<Opened>;
        const char* selector = std::getenv("DEVQ_DEVICE");
        for (const DeviceInfo& info : list_devices(selector ? selector : "").devices) {
            Device device = open_device(info.id);
            Program program = device.build(source());
            made->push_back({device, program});
            MESSAGE("device " << info.id << ": " << info.name);
        }
        return made;
    }();
    REQUIRE_FALSE(opened->empty());
    return *opened;
}

ErrorCode code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        INFO(error.what());
        CHECK(std::string(error.what()).rfind(error.operation(), 0) == 0);
        CHECK_FALSE(error.operation().empty());
        CHECK_FALSE(error.advice().empty());
        return error.code();
    }
    FAIL("an Error was expected");
    return ErrorCode::unavailable;
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    FAIL("an Error was expected");
    return {};
}

void check_usable(const Opened& opened, const Queue& queue) {
    std::vector<float> values(100);
    std::iota(values.begin(), values.end(), 0.0f);
    const Buffer buffer = opened.device.allocate(values.size() * sizeof(float));
    queue.write<float>(buffer, values);
    queue.launch(opened.program.kernel("scale"), 100, buffer, 2.0f, 100u);
    const std::vector<float> got = read_all<float>(queue, buffer);
    for (std::size_t i = 0; i < values.size(); ++i)
        REQUIRE(got[i] == 2 * values[i]);
    CHECK_NOTHROW(queue.wait());
}

} // namespace each_device
