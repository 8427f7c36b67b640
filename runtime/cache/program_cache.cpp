#include "cache/program_cache.hpp"
#include "cache/cache_key.hpp"
#include "cache/kernel_cache.hpp"
#include "services.hpp"
#include <algorithm>
#include <atomic>
#include <cstring>

namespace devq::detail {

namespace {

constexpr std::size_t remembered_programs = 64;

std::atomic<std::uint64_t> built{0}, from_disk{0}, from_memory{0};

/// What is kept on disk: the length of the compiler's log, the log, the backend's binary.
std::vector<std::byte> packed(const std::string& log, const std::vector<std::byte>& binary) {
    const std::uint64_t length = log.size();
    std::vector<std::byte> content(sizeof length + log.size() + binary.size());
    std::memcpy(content.data(), &length, sizeof length);
    std::memcpy(content.data() + sizeof length, log.data(), log.size());
    std::copy(binary.begin(), binary.end(), content.begin() + static_cast<std::ptrdiff_t>(sizeof length + log.size()));
    return content;
}

/// Saves what was built, once its first kernel exists: only then is the build known to be of use.
class NewProgram final : public backend::Program {
public:
    NewProgram(std::shared_ptr<backend::Program> program, std::string key)
        : program_(std::move(program)), key_(std::move(key)) {}
    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override {
        auto kernel = program_->kernel(name);
        if (!saved_.exchange(true))
            save();
        return kernel;
    }
    const std::string& log() const override { return program_->log(); }
    std::vector<std::byte> binary() override { return program_->binary(); }

private:
    /// The kernel is there: where the driver does not give its binary, the next process builds anew.
    void save() {
        try {
            if (const auto binary = program_->binary(); !binary.empty())
                KernelCache::instance().save(key_, packed(program_->log(), binary));
        } catch (const std::exception&) {
        }
    }

    std::shared_ptr<backend::Program> program_;
    std::string key_;
    std::atomic<bool> saved_{false};
};

/// A loaded program with the log that it was built with.
class LoadedProgram final : public backend::Program {
public:
    LoadedProgram(std::shared_ptr<backend::Program> program, std::string log)
        : program_(std::move(program)), log_(std::move(log)) {}
    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override { return program_->kernel(name); }
    const std::string& log() const override { return log_; }
    std::vector<std::byte> binary() override { return program_->binary(); }

private:
    std::shared_ptr<backend::Program> program_;
    std::string log_;
};

std::shared_ptr<backend::Program> load_from_disk(backend::Device& device, const std::string& key) {
    const auto content = KernelCache::instance().load(key);
    std::uint64_t length = 0;
    if (!content || content->size() < sizeof length)
        return nullptr;
    std::memcpy(&length, content->data(), sizeof length);
    if (length > content->size() - sizeof length)
        return nullptr;
    const auto binary = std::span(*content).subspan(sizeof length + length);
    std::shared_ptr<backend::Program> program;
    try {
        program = device.load_program(binary);
    } catch (const Error&) { // building says what is wrong with the device, or that nothing is
    }
    if (!program)
        return nullptr;
    const auto* log = reinterpret_cast<const char*>(content->data() + sizeof length);
    return std::make_shared<LoadedProgram>(std::move(program), std::string(log, length));
}

std::string key_of(const backend::Device& device, std::string_view backend_name, const backend::ProgramSource& source,
                   std::string_view included) {
    CacheKey key;
    key.add("backend", backend_name).add("identity", device.build_identity());
    key.add("class", device.capabilities().device_class);
    key.add("text", source.text).add("file", source.file_name).add("included", included);
    for (const auto& [name, value] : source.defines)
        key.add("define", name).add("value", value);
    for (const std::string& folder : source.include_folders)
        key.add("folder", folder);
    return key.hex();
}

} // namespace

std::shared_ptr<backend::Program> ProgramCache::get(backend::Device& device, std::string_view backend_name,
                                                    const backend::ProgramSource& source, std::string_view included) {
    const bool on_disk = !device.build_identity().empty();
    const std::string key = key_of(device, backend_name, source, included);
    if (auto program = remembered(key)) {
        ++from_memory;
        return program;
    }
    std::shared_ptr<backend::Program> program = on_disk ? load_from_disk(device, key) : nullptr;
    if (program) {
        ++from_disk;
    } else {
        program = device.build(source);
        ++built;
        if (on_disk)
            program = std::make_shared<NewProgram>(std::move(program), key);
    }
    remember(key, program);
    return program;
}

std::shared_ptr<backend::Program> ProgramCache::remembered(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at =
        std::find_if(programs_.begin(), programs_.end(), [&](const auto& entry) { return entry.first == key; });
    if (at == programs_.end())
        return nullptr;
    std::rotate(at, at + 1, programs_.end());
    return programs_.back().second;
}

void ProgramCache::remember(const std::string& key, const std::shared_ptr<backend::Program>& program) {
    const std::lock_guard lock(mutex_);
    if (programs_.size() == remembered_programs)
        programs_.erase(programs_.begin());
    programs_.emplace_back(key, program);
}

BuildCounts build_counts() noexcept { return {built, from_disk, from_memory}; }

} // namespace devq::detail
