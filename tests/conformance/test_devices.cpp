#include "test_devices.hpp"
#include <cstdlib>
#include <devq/error.hpp>
#include <iostream>
#include <random>

namespace devq::conformance {

namespace {
std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}
} // namespace

std::vector<Device> devices_to_test() {
    std::vector<std::string> wanted = {variable("DEVQ_TEST_DEVICE")};
    if (wanted.front().empty()) {
        wanted.clear();
        for (const DeviceInfo& device : list_devices().devices)
            wanted.push_back(device.id);
    }
    std::vector<Device> devices;
    for (const std::string& id : wanted)
        try {
            devices.push_back(open_device(id));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::unavailable)
                throw;
            std::cout << "skipped: " << id << ": " << error.what() << "\n";
        }
    return devices;
}

std::uint64_t test_seed() {
    static const std::uint64_t seed = [] {
        const std::string given = variable("DEVQ_TEST_SEED");
        return given.empty() ? std::random_device{}() : std::stoull(given);
    }();
    return seed;
}

bool test_quick() { return variable("DEVQ_TEST_QUICK") == "1"; }

} // namespace devq::conformance
