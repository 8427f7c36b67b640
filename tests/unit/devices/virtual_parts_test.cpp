#include "expect.hpp"
#include "virtual_devices.hpp"
#include <devq/device.hpp>
#include <memory>

using namespace devq;

namespace {

class Block final : public backend::Memory {
public:
    explicit Block(int& living) : living_(living) { ++living_; }
    ~Block() override { --living_; }

private:
    int& living_;
};

/// A device of 5000 bytes that has none to give above 3000.
class Whole final : public backend::Device {
public:
    Whole() { capabilities_.max_allocation_bytes = 5000; }
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::host_cpp; }
    std::shared_ptr<backend::Memory> allocate(std::size_t bytes) override {
        if (bytes > 3000)
            throw Error(ErrorCode::out_of_memory, {}, "the whole device is full", "Free some.");
        return std::make_shared<Block>(living);
    }
    std::unique_ptr<backend::Queue> create_queue() override { return nullptr; }
    std::shared_ptr<backend::Program> build(const backend::ProgramSource&) override { return nullptr; }
    std::string build_identity() const override { return "whole"; }
    int living = 0;

private:
    Capabilities capabilities_;
};

} // namespace

TEST_CASE("the grammar of DEVQ_VIRTUAL_DEVICES") {
    using devq::detail::virtual_parts;
    CHECK(virtual_parts("", "cpu") == 1);
    CHECK(virtual_parts(" ", "cpu") == 1);
    CHECK(virtual_parts("cpu=2", "cpu") == 2);
    CHECK(virtual_parts("cpu=2", "opencl") == 1);
    CHECK(virtual_parts(" opencl=3 ,cpu=64", "cpu") == 64);
    CHECK(virtual_parts(" opencl=3 ,cpu=64", "opencl") == 3);
    struct Wrong {
        const char *text, *says;
        int caret;
    };
    const Wrong wrong[] = {
        {"cpu", "'=' and a number", 3},    {"cpu=", "a number of devices is expected", 4},
        {"cpu=x", "a number", 4},          {"cpu=2x", "a number", 5},
        {"cpu=-1", "a number", 4},         {"cpu=0", "1 to 64", 4},
        {"cpu=65", "1 to 64", 4},          {"cpu=99999999999999999999", "1 to 64", 4},
        {"gpu=2", "no backend called", 0}, {"cpu=2,", "a backend is expected", 6},
        {",cpu=2", "a backend", 0},        {"cpu=2,cpu=3", "twice", 6},
        {"cpu=2;opencl=2", "a number", 5}, {"cpu:0=2", "no backend called", 0},
        {"2", "no backend called", 0},     {"cpu=2,\x01=3", "no backend", 6},
    };
    for (const Wrong& one : wrong) {
        CAPTURE(one.text);
        const std::string text = thrown(devq::ErrorCode::invalid_argument, [&] { virtual_parts(one.text, "cpu"); });
        CHECK(holds(text, "DEVQ_VIRTUAL_DEVICES: "));
        CHECK(holds(text, one.says));
        CHECK(holds(text, '\n' + std::string(2 + std::size_t(one.caret), ' ') + "^\n"));
        CHECK(holds(text, "term := backend'='N"));
    }
}

TEST_CASE("each part has an account of its own") {
    const auto whole = std::make_shared<Whole>();
    const auto part = detail::make_part(whole, 4000), other = detail::make_part(whole, 4000);
    CHECK(part->capabilities().max_allocation_bytes == 4000);
    CHECK(part->build_identity() == "whole"); // both use the same binaries
    CHECK(part->language() == backend::SourceLanguage::host_cpp);
    const auto refused = [&](std::size_t bytes) {
        try {
            part->allocate(bytes);
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::out_of_memory);
            return std::string(error.what());
        }
        return std::string("taken");
    };
    auto half = part->allocate(2000);
    CHECK(whole->living == 1);
    const std::string text = refused(2001);
    CHECK(holds(text, "requested 2001 bytes, in use 2000 of 4000"));
    CHECK(holds(text, "DEVQ_VIRTUAL_DEVICES"));
    CHECK(holds(refused(~std::size_t{0}), "in use 2000"));
    const auto elsewhere = other->allocate(3000);
    auto rest = part->allocate(2000);
    CHECK(holds(refused(1), "in use 4000"));
    auto share = half; // counted until the last share goes: a queue may hold one
    half.reset();
    CHECK(holds(refused(1), "in use 4000"));
    share.reset();
    CHECK(whole->living == 2);
    CHECK(refused(2000) == "taken"); // and given back at once
    CHECK(refused(2000) == "taken");
    rest.reset();
    CHECK(holds(refused(3500), "the whole device is full"));
    CHECK(refused(3000) == "taken"); // what the device refused was not counted
    CHECK(detail::make_part(whole, 0)->capabilities().max_allocation_bytes == 5000); // unknown: no limit
}
