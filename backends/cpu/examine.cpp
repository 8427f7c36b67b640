#include "child_process.hpp"
#include "claims.hpp"
#include "device.hpp"
#include <array>
#include <cstring>

namespace devq::cpu {

namespace {

/// The first line of what the compiler says of itself.
std::string compiler_version(const std::string& program) {
    try {
        const detail::ChildResult said = detail::run_child({program, "--version"}, std::chrono::seconds(5));
        return said.output.substr(0, said.output.find('\n'));
    } catch (const Error& error) {
        return error.what();
    }
}

/// What the host writes is what commands see, and the other way round.
backend::Claim mapped_memory(Device& device) {
    backend::Claim claim{"mapped_memory", 1, 0, {}};
    std::array<int, 256> back{};
    const auto memory = device.allocate(sizeof back);
    const auto queue = device.create_queue();
    int* const mapped = static_cast<int*>(memory->host_address());
    for (int i = 0; i < int(back.size()); ++i)
        mapped[i] = i * 3;
    queue->read(back.data(), memory, 0, sizeof back);
    queue->wait();
    bool right = std::memcmp(back.data(), mapped, sizeof back) == 0;
    const int pattern = 77;
    queue->fill(memory, 0, sizeof back, &pattern, sizeof pattern);
    queue->wait();
    for (std::size_t i = 0; i < back.size(); ++i)
        right = right && mapped[i] == pattern;
    claim.verified = right ? 1 : 0;
    claim.reason = right ? "" : "host and device see different bytes";
    return claim;
}

} // namespace

backend::Examination Device::examine() {
    backend::Examination result;
    result.claims = detail::claims_of_front_end();
    result.claims.push_back(mapped_memory(*this));
    result.versions = {{"instruction_set", isa_name(isa_.level) + (isa_.forced ? " (DEVQ_CPU_ISA)" : "")}};
    try {
        const std::string program = compiler().program;
        result.versions.emplace_back("host_compiler", program + ": " + compiler_version(program));
    } catch (const Error& error) {
        result.versions.emplace_back("host_compiler", std::string("none: ") + error.what());
    }
    return result;
}

} // namespace devq::cpu
