#include "verify.hpp"
#include "device.hpp"
#include "services.hpp"
#include <array>

namespace devq::opencl {

namespace {

// 2048 + 1 has no room in half and becomes 2048; 2048 * 1.5 has.
constexpr const char* source_text = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void devq_half_check(global float* result, float value) {
    half x = (half)value;
    half sum = x + (half)1.0f;
    half product = x * (half)1.5f;
    result[0] = (float)sum;
    result[1] = (float)product;
}
)";

bool run_check(Device& device) {
    backend::ProgramSource source;
    source.text = source_text;
    source.file_name = "half_check.cl";
    const auto kernel = device.build(source)->kernel("devq_half_check");
    const auto queue = device.create_queue();
    std::array<float, 2> result{};
    const auto memory = device.allocate(sizeof result);
    const float value = 2048;
    std::array<backend::Argument, 2> arguments;
    arguments[0].kind = backend::Argument::Kind::buffer;
    arguments[0].memory = memory;
    arguments[1].value = &value;
    arguments[1].size = sizeof value;
    queue->launch(kernel, {}, arguments);
    queue->read(result.data(), memory, 0, sizeof result);
    queue->wait();
    return result == std::array<float, 2>{2048, 3072};
}

} // namespace

bool computes_in_half(Device& device) {
    const std::string identity = device.build_identity();
    const std::vector<std::pair<std::string, std::string>> depends_on = {{"check", source_text}, {"device", identity}};
    if (!identity.empty())
        if (const auto known = detail::load_note(depends_on))
            return *known == "yes";
    bool works = false;
    try {
        works = run_check(device);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::build_failed)
            return false; // perhaps only now: asked again by the next process
    }
    if (!identity.empty())
        detail::save_note(depends_on, works ? "yes" : "no");
    return works;
}

std::string half_fault(Device& device) {
    return run_check(device) ? "" : "kernels compute half in a wider type, or wrongly (2048 + 1, 2048 * 1.5)";
}

} // namespace devq::opencl
