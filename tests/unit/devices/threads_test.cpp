// Opening and listing from many threads at once, and tensors on a real device. Run under ThreadSanitizer too.
#include "expect.hpp"
#include <atomic>
#include <devq/device.hpp>
#include <devq/tensor.hpp>
#include <limits>
#include <thread>
#include <vector>

TEST_CASE("devices are listed, opened and closed from many threads at once") {
    std::atomic<int> ready{0}, faults{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < 8; ++number)
        threads.emplace_back([&, number] {
            ready.fetch_add(1);
            while (ready.load() < 8) // all at the first, unloaded registry
                std::this_thread::yield();
            for (int round = 0; round < 50; ++round) {
                try {
                    const devq::Device one = devq::open_device("cpu:0"), other = devq::open_device("cpu");
                    const auto listed = devq::list_devices("cpu");
                    const devq::Buffer buffer = one.allocate(64);
                    faults += one == other && listed.devices.size() == 1 && buffer.device() == one ? 0 : 1;
                    if ((round + number) % 5 == 0)
                        try {
                            devq::open_device("cpu:99");
                            ++faults;
                        } catch (const devq::Error& error) {
                            faults += error.code() == devq::ErrorCode::unavailable ? 0 : 1;
                        }
                } catch (const std::exception&) {
                    ++faults;
                }
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(faults == 0);
}

TEST_CASE("an opened device says what the list says") {
    const auto listed = devq::list_devices("cpu:0").devices.at(0);
    const devq::Device device = devq::open_device("cpu:0");
    CHECK(device.info().id == "cpu:0");
    CHECK(device.info().name == listed.name);
    CHECK(device.info().memory_bytes == listed.memory_bytes);
    CHECK(device.capabilities().max_group_items > 0);
}

TEST_CASE("tensors own their memory; views of them end with it") {
    const devq::Device device = devq::open_device("cpu:0");
    devq::TensorView view;
    {
        const devq::Tensor tensor(device, devq::DType::bf16, {3, 5});
        CHECK(tensor.bytes() == 30);
        CHECK(tensor.elements() == 15);
        CHECK(tensor.view().contiguous());
        view = tensor.view().transposed(0, 1);
        CHECK(view.buffer() == tensor.buffer());
    }
    CHECK(holds(thrown(devq::ErrorCode::invalid_argument, [&] { view.buffer(); }), "is gone"));
    CHECK(devq::Tensor(device, devq::DType::f32, {0, 7}).bytes() == 0);
    CHECK(devq::Tensor(device, devq::DType::f64, {}).bytes() == 8);
}

TEST_CASE("impossible tensors are refused before anything is allocated") {
    constexpr auto invalid = devq::ErrorCode::invalid_argument;
    const devq::Device device = devq::open_device("cpu:0");
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    thrown(invalid, [&] { devq::Tensor(device, devq::DType::f32, {huge, 2}); });
    thrown(invalid, [&] { devq::Tensor(device, devq::DType::f32, {huge}); });
    thrown(invalid, [&] { devq::Tensor(device, devq::DType::f64, {std::int64_t{1} << 61}); }); // 2^64 bytes
    thrown(invalid, [] { devq::Tensor(devq::Device{}, devq::DType::f32, {1}); });
    CHECK(devq::Tensor(device, devq::DType::f32, {4}).bytes() == 16); // and the device goes on
}
