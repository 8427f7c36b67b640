// The suite on every device present, or on the one that DEVQ_TEST_DEVICE selects; DEVQ_TEST_SEED repeats a run. With
// DEVQ_TEST_QUICK=1 a spread of the cases.
#include "suite.hpp"
#include "test_devices.hpp"
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <string>

using namespace devq;
using namespace devq::conformance;

TEST_CASE("every case on every device") {
    const std::vector<Device> devices = devices_to_test();
    CHECK_FALSE(devices.empty());
    const std::uint64_t seed = test_seed();
    for (const Device& device : devices) {
        const std::string& id = device.info().id;
        MESSAGE(id, ", seed ", seed);
        const Queue queue = device.create_queue();
        std::size_t passed = 0;
        for (const Case* test : select({.quick = test_quick()})) {
            const Result result = run_case(queue, *test, seed, known_exceptions());
            CHECK_MESSAGE(result.status != Status::failed, id, ": ", test->name(), ": ", result.reason,
                          "\n  repeat: ", repeat_command(id, seed, *test));
            passed += result.status == Status::passed ? 1 : 0;
            REQUIRE_FALSE(result.device_gone);
        }
        CHECK(passed > 0);
    }
}

// What the judge does with a device's bytes, end to end: a case whose "operation" is a copy that goes wrong on purpose.
TEST_CASE("faults planted into a device's buffers are seen") {
    const Device device = open_device("cpu:0");
    const Queue queue = device.create_queue();
    const auto verdict = [&](auto&& fault) {
        const Case test{"planted", "f32", "9x33 gap3",
                        [&](Run& run) {
                            const Layout layout = gapped({9, 33}, 3);
                            const Operand& x = run.input(DType::f32, layout, Values::unit);
                            const Operand& y = run.output(DType::f32, layout);
                            for (std::int64_t row = 0; row < 9; ++row) {
                                const auto offset = static_cast<std::size_t>(y.view().offset() + row * 36) * 4;
                                queue.copy(y.view().buffer(), offset, x.view().buffer(), offset, 33 * 4);
                            }
                            fault(x.view(), y.view());
                            run.judge(y, [&](const Index& i, std::int64_t) { return Expected{x(i)}; });
                        },
                        false};
        return run_case(queue, test, 1);
    };
    const auto poke = [&](const TensorView& view, std::int64_t element, float value) {
        queue.write(view.buffer(), static_cast<std::size_t>(view.offset() + element) * 4, &value, 4);
    };
    CHECK(verdict([](const TensorView&, const TensorView&) {}).status == Status::passed);
    CHECK(verdict([&](const TensorView&, const TensorView& y) { poke(y, 8 * 36 + 32, 7); }).status == Status::failed);
    const auto reason = [&](auto&& fault) { return verdict(fault).reason; };
    CHECK(reason([&](const TensorView&, const TensorView& y) { poke(y, -1, 0); }).find("guard before") !=
          std::string::npos);
    CHECK(reason([&](const TensorView&, const TensorView& y) { poke(y, 8 * 36 + 33, 0); }).find("guard behind") !=
          std::string::npos);
    CHECK(reason([&](const TensorView&, const TensorView& y) { poke(y, 33, 0); }).find("gap inside") !=
          std::string::npos);
    CHECK(reason([&](const TensorView& x, const TensorView&) { poke(x, 0, 9); }).find("element of the input") !=
          std::string::npos);
    CHECK(reason([](const TensorView&, const TensorView&) {
              throw Error(ErrorCode::unsupported, "planted", "cannot", "Do not.");
          }).find("unsupported") != std::string::npos);
}
