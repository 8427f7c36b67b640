// What grad mode sees and what it does not let through; and its cases on every device present.
#include "grad.hpp"
#include "test_devices.hpp"
#include <devq/devq.hpp>
#include <doctest/doctest.h>

using namespace devq;
using namespace devq::conformance;

namespace {

/// A case whose "device" holds whatever gradient the test says, of loss = Σ f(x).
template <class Function, class Gradient>
Result verdict(Function&& function, Gradient&& gradient, double at = 0.5) {
    const Device device = open_device("cpu:0");
    const Queue queue = device.create_queue();
    const Case test{"planted", "f32", "7", [&](Run& run) {
                        const auto place = [&](const Index& i) { return at + 0.0625 * static_cast<double>(i[0]); };
                        const Operand& x = run.input(DType::f32, packed({7}), place, "x");
                        const Operand& dx = run.output(DType::f32, packed({7}), "gradient");
                        for (std::int64_t i = 0; i < 7; ++i) {
                            const auto value = static_cast<float>(gradient(x({i})));
                            queue.write(dx.view().buffer(), static_cast<std::size_t>(dx.view().offset() + i) * 4,
                                        &value, 4);
                        }
                        judge_gradient(
                            run, dx, x,
                            [&](const Point& point, LossSum& loss) {
                                for (std::int64_t i = 0; i < 7; ++i)
                                    loss.add(function(point(x, {i})));
                            },
                            [](const Index&, double) { return 0.0; });
                    }};
    return run_case(queue, test, 1);
}

} // namespace

TEST_CASE("a right gradient passes, one that is off by a few roundings fails") {
    const auto wave = [](double x) { return std::sin(3 * x); };
    const auto slope = [](double x) { return 3 * std::cos(3 * x); };
    CHECK_MESSAGE(verdict(wave, slope).status == Status::passed, verdict(wave, slope).reason);
    const auto off = [&](double x) { return slope(x) * (1 + 0x1p-22); };
    CHECK(verdict(wave, off).status == Status::failed);
    CHECK(verdict(wave, off).reason.find("further off") != std::string::npos);
    CHECK(verdict(wave, [&](double x) { return -slope(x); }).status == Status::failed);
}

TEST_CASE("a kink within the step is no derivative, a loss that depends on nothing proves nothing") {
    const auto kink = [](double x) { return std::fabs(x - 0.51); };
    const auto sign = [](double x) { return x > 0.51 ? 1.0 : -1.0; };
    CHECK(verdict(kink, sign).reason.find("not smooth") != std::string::npos);
    const auto none = [](double) { return 0.0; };
    CHECK(verdict([](double) { return 2.0; }, none).reason.find("zero") != std::string::npos);
}

TEST_CASE("the numeric derivative's error is within its own bound") {
    const Layout layout = packed({1});
    for (const double x0 : {-3.0, -0.5, 0.0, 0.75, 2.5}) {
        Operand x(Operand::Role::input, DType::f64, layout, "x");
        x.set({}, x0);
        const auto check = [&](auto&& f, double exact, double sharpness) {
            const Derivative d =
                Differences(0x1p-5)(x, {}, [&](const Point& at, LossSum& sum) { sum.add(f(at(x, {}))); });
            CHECK(std::fabs(d.value - exact) <= d.error);
            CHECK(d.error <= sharpness);
        };
        check([](double v) { return std::exp(v); }, std::exp(x0), 1e-7);
        check([](double v) { return std::tanh(v); }, 1 - std::tanh(x0) * std::tanh(x0), 1e-7);
        check([](double v) { return v * v * v; }, 3 * x0 * x0, 1e-9);
    }
}

TEST_CASE("every gradient on every device") {
    const std::uint64_t seed = test_seed();
    for (const Device& device : devices_to_test()) {
        const std::string& id = device.info().id;
        MESSAGE(id, ", seed ", seed);
        const Queue queue = device.create_queue();
        for (const Case& test : all_grad_cases()) {
            const Result result = run_case(queue, test, seed, known_exceptions());
            CHECK_MESSAGE(result.status != Status::failed, id, ": ", test.name(), ": ", result.reason,
                          "\n  repeat: ", repeat_command(id, seed, test));
            REQUIRE_FALSE(result.device_gone);
        }
    }
}
