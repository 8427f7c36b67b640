#include "expect.hpp"
#include "machine.hpp"
#include <algorithm>

using support::Machine;
using support::Result;

namespace {

std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

} // namespace

TEST_CASE("open_device takes the selector, else DEVQ_DEVICE, else the default order") {
    Machine machine;
    machine.environment["FAKE_opencl"] = "G|AMD|gpu|;C|AMD|cpu|";
    CHECK(machine.probe("open").out == "open good opencl:0\n");
    CHECK(machine.probe("open", "opencl-cpu").out == "open good opencl:1\n");
    machine.environment["DEVQ_DEVICE"] = "cpu";
    CHECK(machine.probe("open").out == "open good cpu:0\n");
    CHECK(machine.probe("open", " ").out == "open good cpu:0\n");
    CHECK(machine.probe("open", "gpu").out == "open good opencl:0\n"); // the argument goes before the variable
    machine.environment["DEVQ_DEVICE"] = "";
    CHECK(machine.probe("open").out == "open good opencl:0\n");
    machine.environment["DEVQ_DEVICE"] = "cpu:";
    const Result malformed = machine.probe("open");
    CHECK(holds(malformed.out, "open invalid_argument DEVQ_DEVICE: a device number is expected"));
    CHECK(holds(malformed.out, "\n  cpu:\n      ^\n"));
    CHECK(machine.probe("open", "cpu").out == "open good cpu:0\n");
}

TEST_CASE("a fallback is said in one line, and forbidden by DEVQ_STRICT") {
    Machine machine;
    machine.environment["FAKE_cuda_MISSING"] = "library_missing|libfake.so.1:\ncannot open";
    const Result fallen = machine.probe("open", "cuda,cpu");
    CHECK(fallen.out == "open good cpu:0\n");
    CHECK(lines(fallen.err) == 1);
    CHECK(holds(fallen.err,
                "devq: cuda cannot be had (cuda: libfake.so.1: cannot open): using cpu:0 (Fake CPU) instead"));
    CHECK(holds(fallen.err, "DEVQ_STRICT=1"));

    const Result none = machine.probe("open", "cpu,cuda"); // the preferred one was there
    CHECK(none.out == "open good cpu:0\n");
    CHECK(none.err.empty());

    CHECK(lines(machine.probe("twice", "cuda,cpu").err) == 1); // said once a process

    machine.environment["DEVQ_STRICT"] = "0";
    CHECK(machine.probe("open", "cuda,cpu").out == "open good cpu:0\n");
    machine.environment["DEVQ_STRICT"] = "1";
    const Result strict = machine.probe("open", "cuda,cpu");
    CHECK(holds(strict.out, "open unavailable open_device: cuda cannot be had"));
    CHECK(holds(strict.out, "DEVQ_STRICT"));
    CHECK(strict.err.empty());
    CHECK(machine.probe("open", "cpu").out == "open good cpu:0\n");
    machine.environment["DEVQ_DEVICE"] = "cuda,cpu"; // the variable's fallback is one as well
    CHECK(holds(machine.probe("open").out, "open unavailable"));
}

TEST_CASE("a device that does not open is passed over, and said") {
    Machine machine;
    machine.environment["FAKE_opencl"] = "Bad!|AMD|gpu|;Good|AMD|gpu|";
    const Result next = machine.probe("open", "gpu");
    CHECK(next.out == "open good opencl:1\n");
    CHECK(lines(next.err) == 1);
    CHECK(holds(next.err, "opencl:0 cannot be opened (it does not wake up (fakeOpen returned 7). Wake it)"));
    CHECK(holds(next.err, "using opencl:1 (Good) instead"));
    CHECK(holds(machine.probe("open").err, "opencl:0 cannot be opened")); // in the default order too
    machine.environment["DEVQ_STRICT"] = "1";
    CHECK(holds(machine.probe("open").out, "open unavailable open_device: opencl:0 cannot be opened"));
    // the only one that was asked for: its own failure, named
    CHECK(machine.probe("open", "opencl:0").out ==
          "open device_lost open_device: it does not wake up (fakeOpen returned 7). Wake it.\n");
}

TEST_CASE("what cannot be had is an error with every reason") {
    Machine machine;
    machine.environment["FAKE_cuda_MISSING"] = "driver_too_old|the driver is from last century";
    machine.environment["FAKE_opencl"] = "Q|AMD|gpu|";
    const std::string text = machine.probe("open", "cuda:0,opencl:7,name:zzz").out;
    CHECK(holds(text, "open unavailable open_device: no device can be had for \"cuda:0,opencl:7,name:zzz\""));
    CHECK(holds(text, "cuda:0 cannot be had (cuda: the driver is from last century)"));
    CHECK(holds(text, "opencl:7 cannot be had (there is only opencl:0 (Q))"));
    CHECK(holds(text, "name:zzz cannot be had"));
    CHECK(holds(text, "`devq list`"));
    CHECK(holds(machine.probe("open", "cpu,!cpu").out, "open unavailable"));
    CHECK(holds(machine.probe("open", "nonsense").out, "open invalid_argument"));
    machine.environment["FAKE_cpu"] = "";
    machine.environment["FAKE_opencl"] = "";
    CHECK(holds(machine.probe("open").out, "open unavailable open_device: there is no device"));
}

TEST_CASE("a device opened twice is one device, and opens again after it was closed") {
    const Machine machine;
    CHECK(machine.probe("twice", "cpu:0").out == "open good cpu:0 same\nagain good cpu:0\n");
    CHECK(machine.log() == "enumerate cpu\nopen cpu\nopen cpu\n");
}

TEST_CASE("a forked child may not use its parent's device") {
    Machine machine;
    machine.environment["FAKE_opencl"] = "C|AMD|cpu|";
    const std::string text = machine.probe("fork", "cpu:0").out;
    CHECK(holds(text, "info good cpu:0\n")); // plain facts
    for (const char* entry : {"capabilities", "allocate", "queue"}) {
        CAPTURE(entry);
        CHECK(holds(text, std::string(entry) + " unsupported Device::"));
    }
    CHECK(holds(text, "the device cpu:0 was opened by a process that this one was forked from"));
    CHECK(holds(text, "open unsupported open_device: this process was forked from one that had used the cpu backend"));
    CHECK(holds(text, "list unsupported list_devices: "));
    CHECK(holds(text, "other good opencl:0\n")); // a backend that the parent had not touched
    CHECK(holds(text, "parent good cpu:0\n"));
    CHECK_FALSE(holds(text, "child ended"));
    CHECK(machine.probe("fork-first", "cpu:0").out == "child good cpu:0\nparent good cpu:0\n");
    CHECK(machine.probe("fork-listed", "cpu:0").out == "list good 1\nchild good cpu:0\n");
    CHECK(
        holds(machine.probe("fork-listed", "opencl:0").out, "child unsupported open_device: this process was forked"));
}
