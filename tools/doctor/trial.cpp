#include "trial.hpp"
#include "child_process.hpp"
#include "patience.hpp"
#include <chrono>
#include <cstdio>
#include <devq/devq.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace devq::doctor {

namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr char mark = '\x1e'; // before each record: drivers print what they like in between
/// For all devices together: the runtime gives up a driver that does not list its own before that.
std::chrono::seconds limit() { return detail::patience() + 20s; }

constexpr const char* source = R"(
kernel void doctor(global const int* a, global int* b, int n) {
    int i = get_global_id(0);
    if (i < n)
        b[i] = 3 * a[i] + 1;
}
)";

void say(const Json& record) {
    const std::string text = "\n" + (mark + record.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
    static_cast<void>(std::fflush(stdout));
}

/// Allocate, copy, compile, launch, copy back, compare; on the processor a kernel that was compiled ahead, too.
void round_trip(const DeviceInfo& info) {
    const Device device = open_device(info.id);
    const Queue queue = device.create_queue();
    std::vector<int> values(10'000), result(values.size());
    std::iota(values.begin(), values.end(), -5000);
    const Buffer here = device.allocate(values.size() * sizeof(int)), there = device.allocate(here.size());
    const auto compare = [&](const char* what, auto&& right) {
        queue.read(std::span<int>(result), there);
        for (std::size_t i = 0; i < result.size(); ++i)
            if (result[i] != right(values[i]))
                throw std::runtime_error(
                    fmt::format("{}: element {} is {}, not {}", what, i, result[i], right(values[i])));
    };
    queue.write(here, std::span<const int>(values));
    queue.copy(there, 0, here, 0, here.size());
    compare("a copy", [](int x) { return x; });
    if (info.backend == "cpu") { // compiled ahead there, and a second compilation on others
        ops::fill(queue, TensorView(there, DType::i32, {static_cast<std::int64_t>(values.size())}), 7.0);
        compare("a fill", [](int) { return 7; });
    }
    devq::Kernel kernel;
    try {
        kernel = device.build(source).kernel("doctor");
    } catch (const Error& error) {
        // No compiler on the computer: said of the processor, and no fault of the device.
        if (info.backend != "cpu" || error.code() == ErrorCode::device_lost)
            throw;
        return;
    }
    queue.launch(kernel, values.size(), here, there, static_cast<int>(values.size()));
    compare("a kernel", [](int x) { return 3 * x + 1; });
}

/// The first line, without what a reader of one line cannot use.
std::string brief(std::string text) {
    text.erase(std::min(text.find('\n'), text.size()));
    return text;
}

void take(const Json& record, Trial& trial, std::string& doing) {
    const auto text = [&](const char* name) { return record.value(name, std::string()); };
    if (record.contains("doing")) {
        doing = text("doing");
    } else if (record.contains("device")) {
        trial.devices.push_back({text("device"), text("name"), text("backend"), text("type"), text("pci"),
                                 record.value("default", false), record.value("passed", false), text("error"),
                                 record.value("ms", 0.0)});
        doing.clear();
    } else if (record.contains("code")) {
        trial.missing.push_back({text("backend"), text("code"), text("reason"), text("remedy"), text("pci")});
    }
}

std::string how_it_ended(const detail::ChildResult& child) {
    using End = detail::ChildResult::End;
    if (child.end == End::killed_by_signal)
        return fmt::format("ended by signal {}", child.code);
    if (child.end == End::out_of_time)
        return fmt::format("no end after {} s", limit().count());
    return child.code == 0 ? std::string() : fmt::format("exit status {}", child.code);
}

/// Each backend by itself, after one of them has ended the process while devices were looked for.
Trial by_backend() {
    Trial all;
    all.ran = true;
    for (const std::string backend : {"cuda", "opencl", "cpu"}) {
        Trial one = try_devices(backend);
        all.devices.insert(all.devices.end(), one.devices.begin(), one.devices.end());
        all.missing.insert(all.missing.end(), one.missing.begin(), one.missing.end());
        if (!one.ended.empty())
            all.ended += (all.ended.empty() ? "" : "; ") + backend + ": " + one.ended;
    }
    return all;
}

} // namespace

void run_trial(const std::string& selector) {
    say({{"doing", "listing"}});
    const Inventory inventory = list_devices(selector);
    for (const Unavailable& one : inventory.unavailable)
        say({{"backend", one.backend},
             {"code", one.code},
             {"reason", one.reason},
             {"remedy", one.remedy},
             {"pci", one.pci}});
    for (const DeviceInfo& info : inventory.devices) {
        say({{"doing", info.id + " (" + info.name + ")"}});
        Json record = {{"device", info.id},
                       {"name", info.name},
                       {"backend", info.backend},
                       {"pci", info.pci},
                       {"type", std::string(to_string(info.type))},
                       {"default", info.is_default}};
        const auto begin = std::chrono::steady_clock::now();
        try {
            round_trip(info);
            record["passed"] = true;
        } catch (const std::exception& error) {
            record["error"] = brief(error.what());
        }
        record["ms"] = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        say(record);
    }
    say({{"doing", ""}});
}

Trial try_devices(const std::string& selector) {
    Trial trial;
    std::string wanted = selector;
    for (int attempt = 0; attempt < 4; ++attempt) {
        detail::ChildResult child;
        try {
            child =
                detail::run_child({"/proc/self/exe", "doctor", "--trial", wanted.empty() ? "all" : wanted}, limit());
        } catch (const std::exception& error) {
            trial.ended = error.what();
            return trial;
        }
        trial.ran = true;
        trial.missing.clear(); // said anew
        std::string doing;
        for (const std::string& line : split(child.output, '\n'))
            if (!line.empty() && line[0] == mark)
                if (const Json record = Json::parse(line.substr(1), nullptr, false); record.is_object())
                    take(record, trial, doing);
        const std::string how = how_it_ended(child);
        if (how.empty())
            return trial;
        trial.ended = (doing.empty() ? "at its end" : doing) + ": " + how;
        const std::string id = doing.substr(0, doing.find(' '));
        if (!holds(id, ":")) // not at one device: at which backend?
            return selector.empty() ? by_backend() : trial;
        for (const TrialDevice& done : trial.devices) // each once
            wanted += (wanted.empty() ? "!" : ",!") + done.id;
        trial.devices.push_back({id, doing.substr(std::min(id.size() + 2, doing.size()), doing.size() - id.size() - 3),
                                 id.substr(0, id.find(':')), "", "", false, false, how, 0});
        wanted += (wanted.empty() ? "!" : ",!") + id;
    }
    return trial;
}

} // namespace devq::doctor
