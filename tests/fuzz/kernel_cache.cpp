// Any bytes as a file of the kernel cache: it is used only when it is whole, and then exactly; else it is gone and the
// program is built. Half of the mutations get a right header, so that what is behind the digest is reached too.
#include "cache/kernel_cache.hpp"
#include "cache/cache_key.hpp"
#include "cache/program_cache.hpp"
#include "check.hpp"
#include "services.hpp"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace devq;
using fuzz::expect;
using Bytes = std::vector<std::byte>;

constexpr std::size_t header_bytes = 56; // magic, format, reserved, length, digest

Bytes bytes_of(std::string_view text) {
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

std::uint64_t number_at(const std::uint8_t* at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, bytes);
    return value;
}

std::span<const std::byte> content_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const std::byte*>(data) + header_bytes, size - header_bytes};
}

void mend_header(std::uint8_t* data, std::size_t size) {
    const std::uint64_t length = size - header_bytes;
    const detail::Sha256 digest = detail::sha256(content_of(data, size));
    std::memcpy(data, "DEVQKRNL", 8);
    const std::uint32_t format = detail::KernelCache::format_version;
    std::memcpy(data + 8, &format, sizeof format);
    std::memset(data + 12, 0, 4);
    std::memcpy(data + 16, &length, sizeof length);
    std::memcpy(data + 24, digest.data(), digest.size());
}

bool whole(const std::uint8_t* data, std::size_t size) {
    return size >= header_bytes && std::memcmp(data, "DEVQKRNL", 8) == 0 &&
           number_at(data + 8, 4) == detail::KernelCache::format_version && number_at(data + 12, 4) == 0 &&
           number_at(data + 16, 8) == size - header_bytes &&
           std::memcmp(data + 24, detail::sha256(content_of(data, size)).data(), 32) == 0;
}

class FakeProgram final : public backend::Program {
public:
    explicit FakeProgram(std::string_view log) : log_(log) {}
    std::shared_ptr<backend::Kernel> kernel(const std::string&) override { return nullptr; }
    const std::string& log() const override { return log_; }
    Bytes binary() override { return bytes_of("binary"); }

private:
    std::string log_;
};

class FakeDevice final : public backend::Device {
public:
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return backend::SourceLanguage::opencl_c; }
    std::shared_ptr<backend::Memory> allocate(std::size_t) override { return nullptr; }
    std::unique_ptr<backend::Queue> create_queue() override { return nullptr; }
    std::string build_identity() const override { return "fuzz"; }
    std::shared_ptr<backend::Program> build(const backend::ProgramSource&) override {
        built = true;
        return std::make_shared<FakeProgram>("built");
    }
    std::shared_ptr<backend::Program> load_program(std::span<const std::byte> binary) override {
        loaded.emplace(binary.begin(), binary.end());
        return std::make_shared<FakeProgram>("loaded");
    }

    bool built = false;
    std::optional<Bytes> loaded;

private:
    Capabilities capabilities_;
};

/// The cache's file for the one program of this target, as devq writes it first.
std::filesystem::path cache_file() {
    static const detail::PrivateFolder parent;
    const std::filesystem::path folder = parent.path() / "cache";
    ::unsetenv("DEVQ_CACHE");
    ::setenv("DEVQ_CACHE_DIR", folder.c_str(), 1);
    FakeDevice device;
    detail::ProgramCache cache;
    cache.get(device, "fuzz", {})->kernel("any");
    std::filesystem::path file;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        file = entry.path();
    expect(device.built && !file.empty(), "the first build is saved");
    return file;
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 2 == 0 && size >= header_bytes)
        mend_header(data, size);
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::filesystem::path file = cache_file();
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    FakeDevice device;
    detail::ProgramCache cache;
    const auto program = cache.get(device, "fuzz", {});

    // Behind the header: the length of the compiler's log, the log, the binary.
    const std::size_t content = size - std::min(size, header_bytes);
    const bool is_whole = whole(data, size);
    const std::uint64_t log = is_whole && content >= 8 ? number_at(data + header_bytes, 8) : 0;
    if (is_whole && content >= 8 && log <= content - 8) {
        const auto* begin = reinterpret_cast<const char*>(data) + header_bytes + 8;
        expect(!device.built && device.loaded, "a whole file is used");
        expect(*device.loaded == bytes_of({begin + log, content - 8 - log}), "the binary is what the file holds");
        expect(program->log() == std::string_view(begin, log), "the log is what the file holds");
    } else {
        expect(device.built && !device.loaded, "a file with a flaw counts as absent");
        expect(is_whole || !std::filesystem::exists(file), "a file with a flaw is removed");
    }
    return 0;
}
