#include "builtin_index.hpp"
#include "device.hpp"
#include "isa.hpp"
#include "support.hpp"
#include <algorithm>
#include <doctest/doctest.h>

using namespace devq;

TEST_CASE("the highest level of the machine that was built, unless one is asked for") {
    const auto level = [](int machine, int built) { return cpu::choose_isa(machine, built, std::nullopt).isa.level; };
    CHECK(level(4, 4) == 4);
    CHECK(level(4, 3) == 3);
    CHECK(level(3, 4) == 3);
    CHECK(level(2, 4) == 2);
    CHECK_FALSE(cpu::choose_isa(4, 3, std::nullopt).isa.highest);
    CHECK(cpu::choose_isa(3, 4, std::nullopt).isa.highest);
    const auto forced = cpu::choose_isa(4, 4, "v2");
    CHECK(forced.isa.level == 2);
    CHECK(forced.isa.forced);
    CHECK(forced.code.empty());
    CHECK(cpu::choose_isa(4, 4, "").isa.level == 4);
}

TEST_CASE("a level that the machine lacks, or that there is none of, has a reason and a remedy") {
    const auto lacking = cpu::choose_isa(3, 4, "v4");
    CHECK(lacking.code == "unsupported_architecture");
    CHECK(lacking.problem.find("v4") != std::string::npos);
    CHECK(lacking.problem.find("v3") != std::string::npos);
    CHECK(lacking.remedy.find("v3") != std::string::npos);
    for (const char* text : {"v5", "avx2", "V3", "3"}) {
        const auto wrong = cpu::choose_isa(4, 4, text);
        CHECK(wrong.code == "hidden_by_environment");
        CHECK(wrong.problem.find(text) != std::string::npos);
        CHECK_FALSE(wrong.remedy.empty());
    }
    CHECK(cpu::choose_isa(0, 4, std::nullopt).code == "unsupported_architecture");
}

TEST_CASE("the device is what the level says") {
    for (int level = 2; level <= cpu::machine_level(); ++level) {
        std::string name = "v"; // in two steps: g++ 12 warns wrongly of the sum
        name += std::to_string(level);
        const test::Setting setting("DEVQ_CPU_ISA", name.c_str());
        const auto choice = cpu::current_isa();
        REQUIRE(choice.code.empty());
        const cpu::Device device(choice.isa);
        CHECK(device.capabilities().device_class == "cpu-" + name);
        CHECK(device.capabilities().vector_width == (2u << (level - 1)));
        CHECK(device.capabilities().preferred_group == 1);
        const auto flags = cpu::kernel_flags(choice.isa);
#if defined(__x86_64__)
        CHECK(std::find(flags.begin(), flags.end(), "-march=x86-64-" + name) != flags.end());
#endif
    }
}

TEST_CASE("there is a processor to run on, and no more than the machine has") {
    CHECK(cpu::usable_processors() >= 1);
    CHECK(cpu::usable_processors() <= std::max(1u, std::thread::hardware_concurrency()));
}
