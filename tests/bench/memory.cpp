// What it takes to make a buffer and let it go again, from devq's cache and from the driver, on a device or on each.
#include "pairs.hpp"
#include <cstdio>
#include <devq/devq.hpp>
#include <devq/memory.hpp>

using namespace devq;

namespace {

double nanoseconds(const Device& device, std::size_t bytes, bool cached) {
    constexpr int rounds = 15;
    const int calls = cached ? 20000 : 20;
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        static_cast<void>(device.allocate(bytes));
        double passed = 0;
        for (int i = 0; i < calls; ++i) {
            if (!cached)
                static_cast<void>(trim_memory(device));
            const auto start = std::chrono::steady_clock::now();
            static_cast<void>(device.allocate(bytes));
            if (!cached)
                passed += std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
            else if (i == 0)
                passed -= std::chrono::duration<double, std::nano>(start.time_since_epoch()).count();
        }
        if (cached)
            passed +=
                std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
        times.push_back(passed / calls);
    }
    return bench::quantile(times, 0.5);
}

} // namespace

int main(int count, char** words) {
    try {
        std::vector<std::string> ids;
        for (int i = 1; i < count; ++i)
            ids.emplace_back(words[i]);
        if (ids.empty())
            for (const DeviceInfo& found : list_devices().devices)
                ids.push_back(found.id);
        for (const std::string& id : ids) {
            const Device device = open_device(id);
            for (const std::size_t bytes : {std::size_t{4} << 10, std::size_t{16} << 20})
                std::printf(
                    "%s: a buffer of %zu KiB, made and let go: %.0f ns from the cache, %.0f ns from the driver\n",
                    id.c_str(), bytes >> 10, nanoseconds(device, bytes, true), nanoseconds(device, bytes, false));
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
