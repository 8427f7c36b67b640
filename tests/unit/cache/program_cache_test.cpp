#include "cache/kernel_cache.hpp"
#include "cache/program_cache.hpp"
#include "services.hpp"
#include <cstdlib>
#include <devq/error.hpp>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

using namespace devq;
using detail::ProgramCache;

namespace {

struct Faults {
    bool binary = false, load = false; ///< which of the backend's calls throw
};

class FakeProgram final : public backend::Program {
public:
    explicit FakeProgram(const Faults& faults) : faults_(faults) {}
    std::shared_ptr<backend::Kernel> kernel(const std::string&) override { return std::make_shared<backend::Kernel>(); }
    const std::string& log() const override { return log_; }
    std::vector<std::byte> binary() override {
        if (faults_.binary)
            throw Error(ErrorCode::unavailable, {}, "no binary today", "Try again.");
        return std::vector<std::byte>(16, std::byte{1});
    }

private:
    const Faults& faults_;
    std::string log_;
};

/// A device that only builds and loads programs.
class FakeDevice final : public backend::Device {
public:
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::opencl_c; }
    std::shared_ptr<backend::Memory> allocate(std::size_t) override { return nullptr; }
    std::unique_ptr<backend::Queue> create_queue() override { return nullptr; }
    std::shared_ptr<backend::Program> build(const backend::ProgramSource&) override {
        ++built;
        return std::make_shared<FakeProgram>(faults);
    }
    std::string build_identity() const override { return "a device of tests"; }
    std::shared_ptr<backend::Program> load_program(std::span<const std::byte>) override {
        ++loaded;
        if (faults.load)
            throw Error(ErrorCode::build_failed, {}, "made for another machine", "Build it here.");
        return std::make_shared<FakeProgram>(faults);
    }

    Faults faults;
    int built = 0, loaded = 0;

private:
    Capabilities capabilities_;
};

/// The process's cache in a folder of its own; before the first look at it.
void use_own_folder() {
    static const detail::PrivateFolder folder;
    static const std::string cache = (folder.path() / "cache").string();
    setenv("DEVQ_CACHE", "1", 1);
    setenv("DEVQ_CACHE_DIR", cache.c_str(), 1);
    REQUIRE(detail::KernelCache::instance().folder() == cache);
}

backend::ProgramSource source(std::string text) { return {std::move(text), "test.cl", {}, {}}; }

} // namespace

TEST_CASE("a program is built once, then remembered, and loaded by the next process") {
    use_own_folder();
    FakeDevice device;
    ProgramCache first, second;
    CHECK(first.get(device, "test", source("plain"))->kernel("f") != nullptr);
    CHECK(first.get(device, "test", source("plain")) != nullptr);
    CHECK(second.get(device, "test", source("plain")) != nullptr); // as another process would
    CHECK(device.built == 1);
    CHECK(device.loaded == 1);
}

TEST_CASE("a driver that does not give its binary costs nothing but another build") {
    use_own_folder();
    FakeDevice device;
    device.faults.binary = true;
    ProgramCache first, second;
    CHECK(first.get(device, "test", source("no binary"))->kernel("f") != nullptr);
    CHECK(second.get(device, "test", source("no binary")) != nullptr);
    CHECK(device.built == 2);
    CHECK(device.loaded == 0);
}

TEST_CASE("a kept binary that cannot be loaded any more is built again") {
    use_own_folder();
    FakeDevice device;
    ProgramCache first, second;
    CHECK(first.get(device, "test", source("stale"))->kernel("f") != nullptr);
    device.faults.load = true;
    CHECK(second.get(device, "test", source("stale")) != nullptr);
    CHECK(device.built == 2);
    CHECK(device.loaded == 1);
}
