#include "virtual_devices.hpp"
#include "environment.hpp"
#include "selector.hpp"
#include "terms.hpp"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>

namespace devq::detail {

namespace {

constexpr const char* variable = "DEVQ_VIRTUAL_DEVICES";

struct Parser {
    std::string_view text;

    [[noreturn]] void fail(std::size_t at, const std::string& what) const {
        refuse_at(text, at, variable, what,
                  "The grammar:\n  list := term{','term}\n  term := backend'='N\n  backend := cuda | opencl | cpu\n"
                  "N is 1 to " +
                      std::to_string(most_parts) + "; cpu=2 makes cpu:0 and cpu:1 of the machine's processors.");
    }

    /// Reads one term at `at`; its backend and number.
    std::pair<std::string_view, unsigned> term(std::size_t at, std::string_view word) const {
        const std::size_t equals = std::min(word.find('='), word.size());
        const std::string_view name = word.substr(0, equals);
        if (std::find(backend_names.begin(), backend_names.end(), name) == backend_names.end())
            fail(at, name.empty() ? "a backend is expected here"
                                  : "there is no backend called \"" + std::string(name) + "\"");
        if (equals == word.size())
            fail(at + equals, "'=' and a number of devices are expected after \"" + std::string(name) + "\"");
        const std::string_view digits = word.substr(equals + 1);
        unsigned parts = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), parts);
        if (status == std::errc::invalid_argument || end != digits.data() + digits.size())
            fail(at + equals + 1 + static_cast<std::size_t>(end - digits.data()), "a number of devices is expected");
        if (status != std::errc{} || parts < 1 || parts > most_parts)
            fail(at + equals + 1, "the number of devices is 1 to " + std::to_string(most_parts));
        return {name, parts};
    }

    unsigned parts_of(std::string_view backend) const {
        unsigned parts = 1;
        std::vector<std::string_view> seen;
        for (const Term& one : terms_of(text)) {
            const auto [name, number] = term(one.at, one.text);
            if (std::find(seen.begin(), seen.end(), name) != seen.end())
                fail(one.at, "\"" + std::string(name) + "\" is there twice");
            seen.push_back(name);
            if (name == backend)
                parts = number;
        }
        return parts;
    }
};

/// What a part has handed out. Shared by its blocks, which may outlive it.
struct Account {
    explicit Account(std::uint64_t most) : limit(most) {}
    const std::uint64_t limit;
    std::atomic<std::uint64_t> used{0};

    void take(std::uint64_t bytes) {
        std::uint64_t before = used.load(std::memory_order_relaxed);
        do {
            if (bytes > limit || before > limit - bytes)
                throw Error(ErrorCode::out_of_memory, {},
                            "requested " + std::to_string(bytes) + " bytes, in use " + std::to_string(before) + " of " +
                                std::to_string(limit) + " that this virtual device has",
                            "Free buffers, use smaller ones, or ask for fewer parts in DEVQ_VIRTUAL_DEVICES.");
        } while (!used.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    }
    void give_back(std::uint64_t bytes) noexcept { used.fetch_sub(bytes, std::memory_order_relaxed); }
};

/// All but the memory is the whole device's own business.
class Part final : public backend::Device {
public:
    Part(std::shared_ptr<backend::Device> whole, std::uint64_t memory_bytes)
        : whole_(std::move(whole)), capabilities_(whole_->capabilities()),
          account_(
              std::make_shared<Account>(memory_bytes != 0 ? memory_bytes : std::numeric_limits<std::uint64_t>::max())) {
        capabilities_.max_allocation_bytes = std::min(capabilities_.max_allocation_bytes, account_->limit);
    }

    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return whole_->language(); }
    std::unique_ptr<backend::Queue> create_queue() override { return whole_->create_queue(); }
    std::shared_ptr<backend::Program> build(const backend::ProgramSource& source) override {
        return whole_->build(source);
    }
    std::string build_identity() const override { return whole_->build_identity(); }
    std::shared_ptr<backend::Program> load_program(std::span<const std::byte> binary) override {
        return whole_->load_program(binary);
    }
    std::shared_ptr<backend::Program> builtin(const backend::BuiltinVariant& variant) override {
        return whole_->builtin(variant);
    }
    backend::VendorSupport supports(const backend::MatmulDescription& description) override {
        return whole_->supports(description);
    }
    backend::VendorSupport supports(const backend::ConvolutionDescription& description) override {
        return whole_->supports(description);
    }
    backend::Examination examine() override { return whole_->examine(); }
    std::optional<backend::NativeHandle> native_device() const override { return whole_->native_device(); }
    std::optional<backend::NativeHandle> native_context() const override { return whole_->native_context(); }
    std::unique_ptr<backend::Queue> import_queue(backend::NativeHandle queue) override {
        return whole_->import_queue(queue);
    }
    std::shared_ptr<backend::Event> import_event(backend::NativeHandle event) override {
        return whole_->import_event(event);
    }
    std::shared_ptr<backend::Memory> import_memory(backend::NativeHandle memory, std::size_t& bytes) override {
        return whole_->import_memory(memory, bytes);
    }

    std::shared_ptr<backend::Memory> allocate(std::size_t bytes) override {
        account_->take(bytes);
        std::shared_ptr<backend::Memory> memory;
        try {
            memory = whole_->allocate(bytes);
        } catch (...) {
            account_->give_back(bytes);
            throw;
        }
        // Backends look behind the pointer, so that it stays theirs; the account hangs on its last share.
        backend::Memory* const raw = memory.get();
        return {raw, [memory = std::move(memory), account = account_, bytes](backend::Memory*) mutable noexcept {
                    memory.reset(); // first: it may wait for the commands that use it
                    account->give_back(bytes);
                }};
    }

    bool has_parts() const override { return whole_->has_parts(); }
    std::shared_ptr<backend::Memory> part(const std::shared_ptr<backend::Memory>& memory, std::size_t offset,
                                          std::size_t bytes) override {
        return whole_->part(memory, offset, bytes); // keeps the share, and with it the account
    }
    bool reaches(backend::Device& other) override {
        auto* const part = dynamic_cast<Part*>(&other);
        return whole_->reaches(part ? *part->whole_ : other);
    }
    bool fails_as_a_whole() const override { return whole_->fails_as_a_whole(); }

private:
    std::shared_ptr<backend::Device> whole_;
    Capabilities capabilities_;
    std::shared_ptr<Account> account_;
};

} // namespace

unsigned virtual_parts(std::string_view text, std::string_view backend) { return Parser{text}.parts_of(backend); }

unsigned virtual_parts(std::string_view backend) { return virtual_parts(environment(variable), backend); }

void split(std::vector<DeviceInfo>& found, unsigned parts) {
    if (parts <= 1)
        return;
    std::vector<DeviceInfo> result;
    for (const DeviceInfo& whole : found)
        for (unsigned part = 0; part < parts; ++part) {
            DeviceInfo info = whole;
            info.memory_bytes /= parts;
            info.virtual_part = part;
            info.virtual_parts = parts;
            result.push_back(std::move(info));
        }
    found = std::move(result);
}

std::shared_ptr<backend::Device> make_part(std::shared_ptr<backend::Device> whole, std::uint64_t memory_bytes) {
    return std::make_shared<Part>(std::move(whole), memory_bytes);
}

} // namespace devq::detail
