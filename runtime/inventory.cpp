#include "inventory.hpp"
#include "environment.hpp"
#include "pci.hpp"
#include "registry.hpp"
#include <algorithm>
#include <cstdlib>
#include <devq/error.hpp>
#include <optional>

namespace devq {

namespace detail {

namespace {

/// The backends that can hold devices of a place in the default order.
constexpr std::string_view rank_backend[] = {"cuda", "opencl", "opencl", "cpu", "opencl"};

bool contains(const std::vector<std::string_view>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool excluded(const Selector& selector, const DeviceInfo& device, const std::vector<DeviceInfo>& all) {
    return std::any_of(selector.excluded.begin(), selector.excluded.end(),
                       [&](const SelectorAtom& atom) { return matches(atom, device, all); });
}

bool wholly_excluded(const Selector& selector, std::string_view backend) {
    return std::any_of(selector.excluded.begin(), selector.excluded.end(),
                       [&](const SelectorAtom& atom) { return covers(atom, backend); });
}

/// Does the atom mean this GPU, of which only the bus is known?
bool means(const SelectorAtom& atom, const PciGpu& gpu) {
    return atom.kind == SelectorAtom::Kind::gpu ||
           (atom.kind == SelectorAtom::Kind::vendor && atom.text == gpu.vendor) ||
           (atom.kind == SelectorAtom::Kind::pci && atom.text == gpu.address);
}

} // namespace

std::vector<Step> steps_of(const Selector& selector) {
    std::vector<Step> steps;
    if (selector.wanted.empty()) {
        for (int rank = 0; rank < static_cast<int>(std::size(rank_backend)); ++rank) {
            const std::string_view backend = rank_backend[rank];
            if (wholly_excluded(selector, backend))
                continue;
            steps.push_back(
                {{}, {backend}, [selector, rank](const DeviceInfo& device, const std::vector<DeviceInfo>& all) {
                     return default_rank(device) == rank && !excluded(selector, device, all);
                 }});
        }
        return steps;
    }
    for (const SelectorAtom& atom : selector.wanted) {
        Step step;
        step.written = atom.written;
        for (const std::string_view backend : backend_names)
            if (may_match(atom, backend) && !wholly_excluded(selector, backend))
                step.backends.push_back(backend);
        step.takes = [selector, atom](const DeviceInfo& device, const std::vector<DeviceInfo>& all) {
            return matches(atom, device, all) && !excluded(selector, device, all);
        };
        steps.push_back(std::move(step));
    }
    return steps;
}

std::vector<std::string_view> backends_of(const std::vector<Step>& steps) {
    std::vector<std::string_view> result;
    for (const std::string_view backend : backend_names)
        if (std::any_of(steps.begin(), steps.end(), [&](const Step& s) { return contains(s.backends, backend); }))
            result.push_back(backend);
    return result;
}

std::vector<DeviceInfo> devices_of(const std::vector<std::string_view>& backends) {
    std::vector<DeviceInfo> all;
    for (const std::string_view backend : backends) {
        const auto& devices = Registry::instance().entry(backend).found.devices;
        all.insert(all.end(), devices.begin(), devices.end());
    }
    return all;
}

std::vector<DeviceInfo> matching(const Step& step, const std::vector<DeviceInfo>& all) {
    std::vector<DeviceInfo> result;
    std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                 [&](const DeviceInfo& device) { return step.takes(device, all); });
    std::stable_sort(result.begin(), result.end(),
                     [](const DeviceInfo& a, const DeviceInfo& b) { return default_rank(a) < default_rank(b); });
    return result;
}

void merge_duplicates(std::vector<DeviceInfo>& rows, const std::vector<DeviceInfo>& all) {
    std::vector<DeviceInfo> merged;
    for (DeviceInfo& row : rows) {
        const auto same = [&](const DeviceInfo& other) {
            const bool parts = row.backend == other.backend && row.virtual_parts > 1; // of one device, and not the same
            return other.id == row.id || (!row.pci.empty() && other.pci == row.pci && !parts);
        };
        if (std::any_of(merged.begin(), merged.end(), same))
            continue;
        for (const DeviceInfo& other : all)
            if (other.id != row.id && same(other))
                row.also.push_back(other.id);
        merged.push_back(std::move(row));
    }
    rows = std::move(merged);
}

std::vector<Unavailable> unusable_gpus(const Selector& selector, const std::vector<DeviceInfo>& all,
                                       const std::vector<Unavailable>& said) {
    std::vector<Unavailable> result;
    for (const PciGpu& gpu : scan_pci()) {
        const auto meant = [&](const SelectorAtom& atom) { return means(atom, gpu); };
        const bool wanted =
            selector.wanted.empty() || std::any_of(selector.wanted.begin(), selector.wanted.end(), meant);
        const bool unwanted = std::any_of(selector.excluded.begin(), selector.excluded.end(), meant);
        const bool usable =
            std::any_of(all.begin(), all.end(), [&](const DeviceInfo& d) { return d.pci == gpu.address; });
        if (wanted && !unwanted && !usable)
            result.push_back(explain_idle(gpu, said, std::getenv("CUDA_VISIBLE_DEVICES")));
    }
    return result;
}

Selector default_selector() { return parse_selector(environment("DEVQ_DEVICE"), "DEVQ_DEVICE"); }

/// The id that open_device() would try first, where the backends at hand can tell.
static std::optional<std::string> first_choice(const std::vector<std::string_view>& loaded,
                                               const std::vector<DeviceInfo>& all) {
    for (const Step& step : steps_of(default_selector())) {
        if (!std::all_of(step.backends.begin(), step.backends.end(), [&](auto name) { return contains(loaded, name); }))
            return std::nullopt;
        if (const auto found = matching(step, all); !found.empty())
            return found.front().id;
    }
    return std::nullopt;
}

} // namespace detail

std::string_view to_string(DeviceType type) noexcept {
    switch (type) {
    case DeviceType::cpu:
        return "cpu";
    case DeviceType::gpu:
        return "gpu";
    case DeviceType::accelerator:
        return "accelerator";
    }
    return "unknown";
}

Inventory list_devices(std::string_view text) {
    using namespace detail;
    try {
        check_environment();
        const Selector selector = parse_selector(text);
        const std::vector<Step> steps = steps_of(selector);
        const auto backends = backends_of(steps);
        const auto all = devices_of(backends);

        Inventory inventory;
        for (const Step& step : steps)
            for (DeviceInfo& device : matching(step, all))
                inventory.devices.push_back(std::move(device));
        merge_duplicates(inventory.devices, all);
        if (const auto first = first_choice(backends, all))
            for (DeviceInfo& row : inventory.devices)
                row.is_default = row.id == *first || std::count(row.also.begin(), row.also.end(), *first) > 0;

        for (const std::string_view backend : backends) {
            const auto& missing = Registry::instance().entry(backend).found.unavailable;
            inventory.unavailable.insert(inventory.unavailable.end(), missing.begin(), missing.end());
        }
        const bool sees_gpus = std::find(backends.begin(), backends.end(), "opencl") != backends.end();
        if (sees_gpus) // else nothing can be said about what no backend has
            for (Unavailable& gpu : unusable_gpus(selector, all, inventory.unavailable))
                inventory.unavailable.push_back(std::move(gpu));
        return inventory;
    } catch (const Error& error) {
        throw error.named("list_devices");
    }
}

} // namespace devq
