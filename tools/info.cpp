#include "info.hpp"
#include "command.hpp"
#include "crash_note.hpp"
#include "device_text.hpp"
#include "examine.hpp"
#include "info_checks.hpp"
#include "output.hpp"
#include "patience.hpp"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <devq/api.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace devq::tools {

namespace {

using Json = nlohmann::ordered_json;
using Kind = Capability::Kind;

/// A capability, where what is advertised of it stands, and its trial (null: the backend's own, in its examination).
struct Row {
    const char *name, *label;
    Kind kind;
    std::function<std::optional<std::uint64_t>(const DeviceInfo&, const Capabilities&)> advertised;
    std::function<Finding(Trial&, std::uint64_t asked)> attempt;
};

auto has_type(DType type) {
    return [type](const DeviceInfo& info, const Capabilities&) {
        return std::optional<std::uint64_t>(std::count(info.dtypes.begin(), info.dtypes.end(), type) > 0 ? 1 : 0);
    };
}

/// Known only by what the backend claims.
std::optional<std::uint64_t> nothing(const DeviceInfo&, const Capabilities&) { return std::nullopt; }

std::vector<Row> rows() {
    const auto of = [](auto member) {
        return [member](const DeviceInfo&, const Capabilities& can) {
            return std::optional<std::uint64_t>(static_cast<std::uint64_t>(can.*member));
        };
    };
    const auto plain = [](Finding (*attempt)(Trial&)) {
        return [attempt](Trial& trial, std::uint64_t) { return attempt(trial); };
    };
    return {
        {"f16_storage", "f16 storage", Kind::yes_no, has_type(DType::f16), plain(try_half_storage)},
        {"f16_vectors", "vload_half2..16, vstore_half", Kind::yes_no, has_type(DType::f16), plain(try_half_vectors)},
        {"bf16_storage", "bf16 storage", Kind::yes_no, has_type(DType::bf16), plain(try_bfloat_storage)},
        {"f64", "f64", Kind::yes_no, of(&Capabilities::f64), plain(try_double)},
        {"f16_arithmetic", "native f16 arithmetic", Kind::yes_no, of(&Capabilities::f16_arithmetic), nullptr},
        {"local_memory_bytes", "local memory of a work-group", Kind::bytes, of(&Capabilities::local_memory_bytes),
         try_local_memory},
        {"max_group_items", "work-items in a work-group", Kind::count, of(&Capabilities::max_group_items), try_group},
        {"atomics_32", "32-bit atomics", Kind::yes_no, nothing, plain(try_atomics)},
        {"atomics_64", "64-bit atomics", Kind::yes_no, nothing, plain(try_long_atomics)},
        {"printf", "printf in kernels", Kind::yes_no, nothing, plain(try_printf)},
        {"mapped_memory", "memory mapped for the host", Kind::yes_no, nothing, nullptr},
        {"pinned_memory", "pinned host memory", Kind::yes_no, nothing, nullptr},
        {"event_timing", "event timing", Kind::yes_no, nothing, plain(try_event_timing)},
        {"queue_concurrency", "queues run side by side", Kind::yes_no, nothing, plain(try_queue_concurrency)},
    };
}

/// The first line, for a table.
std::string brief(std::string text) {
    text.erase(std::min(text.find('\n'), text.size()));
    return text;
}

/// Throws device_lost alone: what else happens is what was found.
Finding attempt(const Row& row, Trial& trial, std::uint64_t asked) {
    try {
        return row.attempt(trial, asked);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::device_lost)
            throw;
        return {0, error.what()};
    }
}

/// Looks at a device in a thread of its own, which may never come back: what it has found until then is kept here. The
/// thread holds a share, too.
class Examination {
public:
    explicit Examination(DeviceInfo info) { report_.info = std::move(info); }

    /// The thread's part. Throws nothing.
    void run() noexcept {
        try {
            examine();
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            report_.error = error.what();
        }
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

    /// The caller's part: what was found, as soon as all is, or one step takes longer than `limit`.
    DeviceReport wait(std::chrono::seconds limit) {
        std::unique_lock lock(mutex_);
        while (!ended_) {
            const std::size_t step = steps_;
            if (changed_.wait_for(lock, limit, [&] { return ended_ || steps_ != step; }))
                continue;
            abandoned_ = true;
            detail::note_given_up();
            report_.error = fmt::format("the driver gave no answer within {} s while {}", limit.count(), doing_);
            break;
        }
        return report_;
    }

private:
    /// Says what comes next, which restarts the clock. Throws where nobody waits any more.
    void step(std::string doing) {
        const std::lock_guard lock(mutex_);
        if (abandoned_)
            throw std::runtime_error("given up");
        CrashNote::set(fmt::format("\ndevq info: the process ended while {} ({})", doing, report_.info.id));
        doing_ = std::move(doing);
        ++steps_;
        changed_.notify_all();
    }

    void examine();

    std::mutex mutex_;
    std::condition_variable changed_;
    DeviceReport report_;
    std::string doing_ = "it was looked at";
    std::size_t steps_ = 0;
    bool ended_ = false, abandoned_ = false;
};

/// What is advertised, and what the backend itself has tried; `shown`: the rows that the device has.
std::vector<Capability> advertised(const DeviceInfo& info, const Capabilities& limits, const backend::Examination& said,
                                   std::vector<Row>& shown) {
    std::vector<Capability> capabilities;
    for (Row& row : rows()) {
        Capability one{row.name, row.label, row.kind, row.advertised(info, limits), {}, {}};
        const auto claim = std::find_if(said.claims.begin(), said.claims.end(),
                                        [&](const backend::Claim& known) { return known.name == one.name; });
        if (claim != said.claims.end()) {
            one.advertised = claim->advertised;
            one.verified = claim->verified;
            one.reason = brief(claim->reason);
        } else if (!row.attempt && !one.advertised) {
            continue; // another backend's
        }
        capabilities.push_back(std::move(one));
        shown.push_back(std::move(row));
    }
    return capabilities;
}

void Examination::examine() {
    const DeviceInfo info = report_.info; // nobody writes it
    step("its readings were taken");
    const backend::Readings readings = detail::readings(info);
    {
        const std::lock_guard lock(mutex_);
        report_.readings = readings;
        if (!readings.source.empty())
            report_.versions.emplace_back(readings.source, readings.version);
    }
    step("it was opened");
    const Device device = open_device(info.id);
    const Capabilities limits = device.capabilities();
    step("its driver was asked");
    const backend::Examination said = detail::examine(device);
    std::vector<Row> shown;
    const std::vector<Capability> all = advertised(info, limits, said, shown);
    {
        const std::lock_guard lock(mutex_);
        report_.limits = limits;
        report_.versions.insert(report_.versions.begin(), said.versions.begin(), said.versions.end());
        report_.capabilities = all;
    }
    step("its queue was made");
    Trial trial(device);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (!shown[i].attempt || all[i].verified || all[i].advertised == 0u)
            continue;
        step(fmt::format("\"{}\" was tried", all[i].label));
        const Finding finding = attempt(shown[i], trial, all[i].advertised.value_or(0));
        const std::lock_guard lock(mutex_);
        if (abandoned_)
            return;
        report_.capabilities[i].verified = finding.value;
        report_.capabilities[i].reason = brief(finding.reason);
    }
    step("it was closed");
}

int info(const std::string& selector, bool json) {
    const Inventory inventory = list_devices(selector);
    Json devices = Json::array();
    bool failed = false, first = true;
    for (const DeviceInfo& device : inventory.devices) {
        const CrashNote note;
        const DeviceReport report = examine_device(device);
        failed = failed || !report.error.empty();
        if (json) {
            devices.push_back(as_json(report));
            continue;
        }
        print(first ? "" : "\n");
        first = false;
        print_report(report);
        finish_output(); // a crash at the next device must not take it along
    }
    if (json)
        print_json(
            {{"devq", DEVQ_VERSION_STRING}, {"devices", devices}, {"unavailable", as_json(inventory.unavailable)}});
    if (!inventory.devices.empty())
        return failed ? exit_failed : exit_done;
    if (!json && !inventory.unavailable.empty())
        print_unavailable(inventory.unavailable);
    finish_output();
    complain("devq info", no_device_text(selector));
    return exit_no_device;
}

} // namespace

std::string_view to_string(Verdict verdict) noexcept {
    constexpr std::string_view names[] = {"agrees", "lies", "exceeds", "unclaimed", "untried"};
    return names[static_cast<std::size_t>(verdict)];
}

Verdict Capability::verdict() const noexcept {
    if (!verified)
        return Verdict::untried;
    if (!advertised)
        return Verdict::unclaimed;
    return *verified == *advertised ? Verdict::agrees : *verified < *advertised ? Verdict::lies : Verdict::exceeds;
}

DeviceReport examine_device(const DeviceInfo& info) {
    const int before = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const auto examination = std::make_shared<Examination>(info);
    std::thread([examination] { examination->run(); }).detach();
    DeviceReport report = examination->wait(detail::patience());
    if (before >= 0) { // a trial that never ends may have led stdout elsewhere
        ::dup2(before, STDOUT_FILENO);
        ::close(before);
    }
    return report;
}

void add_info_command(CLI::App& app, int& exit_code) {
    struct Options {
        std::string selector;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("info", "Show what devices say they can do, and what they do when tried (takes seconds)");
    add_selector(*command, options->selector);
    add_flag(*command, "--json", options->json, "Print one JSON document");
    command->callback([options, &exit_code] { exit_code = info(options->selector, options->json); });
}

} // namespace devq::tools
