// Any text as a device selector: it is refused with a caret and the grammar, or its terms mean one thing throughout.
#include "selector.hpp"
#include "check.hpp"
#include <cstdint>
#include <devq/error.hpp>

namespace {

using namespace devq;
using namespace devq::detail;
using fuzz::expect;

std::vector<DeviceInfo> machine() {
    struct Row {
        const char *id, *backend, *name, *vendor, *pci;
        DeviceType type;
    };
    std::vector<DeviceInfo> devices;
    for (const Row& row : {Row{"cuda:0", "cuda", "NVIDIA H100", "NVIDIA", "0000:01:00.0", DeviceType::gpu},
                           Row{"opencl:0", "opencl", "gfx1030", "AMD", "0001:2f:1f.7", DeviceType::gpu},
                           Row{"opencl:1", "opencl", "some board", "Intel", "", DeviceType::accelerator},
                           Row{"opencl:2", "opencl", "pthread-cpu, 16 threads", "GenuineIntel", "", DeviceType::cpu},
                           Row{"opencl:3", "opencl", "Intel(R) CPU", "Intel", "", DeviceType::cpu},
                           Row{"cpu:0", "cpu", "AMD EPYC", "AMD", "", DeviceType::cpu}}) {
        DeviceInfo device;
        device.id = row.id;
        device.backend = row.backend;
        device.name = row.name;
        device.vendor = row.vendor;
        device.pci = row.pci;
        device.type = row.type;
        devices.push_back(device);
    }
    return devices;
}

std::string written(const Selector& selector) {
    std::string text;
    for (const SelectorAtom& atom : selector.wanted)
        text += (text.empty() ? "" : " ,") + atom.written;
    for (const SelectorAtom& atom : selector.excluded)
        text += (text.empty() ? "!" : ",\t!") + atom.written;
    return text;
}

bool same(const std::vector<SelectorAtom>& left, const std::vector<SelectorAtom>& right) {
    if (left.size() != right.size())
        return false;
    for (std::size_t i = 0; i < left.size(); ++i)
        if (left[i].kind != right[i].kind || left[i].text != right[i].text || left[i].index != right[i].index)
            return false;
    return true;
}

void check_refusal(const Error& error) {
    const std::string text = error.what();
    expect(error.code() == ErrorCode::invalid_argument, "a malformed selector is an invalid argument: " + text);
    const std::size_t caret = text.find("^\n");
    expect(caret != std::string::npos && text.find("list := term") != std::string::npos,
           "the message has a caret and the grammar: " + text);
}

void check_meaning(const Selector& selector) {
    static const std::vector<DeviceInfo> devices = machine();
    for (const auto* atoms : {&selector.wanted, &selector.excluded})
        for (const SelectorAtom& atom : *atoms)
            for (const DeviceInfo& device : devices) {
                const bool match = matches(atom, device, devices);
                expect(!match || may_match(atom, device.backend), "what matches is looked for: " + atom.written);
                expect(match || !covers(atom, device.backend), "what is covered matches: " + atom.written);
            }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Selector selector;
    try {
        selector = parse_selector(text, "DEVQ_DEVICE");
    } catch (const Error& error) {
        check_refusal(error);
        return 0;
    }
    check_meaning(selector);
    const Selector again = parse_selector(written(selector));
    expect(same(selector.wanted, again.wanted) && same(selector.excluded, again.excluded),
           "what was written, written again, is the same selector");
    return 0;
}
