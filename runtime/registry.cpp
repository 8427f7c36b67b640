#include "registry.hpp"
#include "builtin.hpp"
#include "fork.hpp"
#include "memory_pool.hpp"
#include "module.hpp"
#include "patience.hpp"
#include "unavailable.hpp"
#include "virtual_devices.hpp"
#include <algorithm>
#include <atomic>
#include <devq/error.hpp>
#include <exception>

namespace devq::detail {

namespace {

std::atomic<Registry*> current{nullptr};
/// Which backends a child must not use, since this process or an ancestor has threads or a driver of theirs: can be
/// read in the child whatever locks were held at the fork.
std::array<std::atomic<bool>, backend_names.size()> touched{};

/// Looking for devices loads a driver; on the CPU it only asks the processor.
bool enumeration_touches(std::string_view name) { return name != "cpu"; }

std::size_t number_of(std::string_view name) {
    const auto* found = std::find(backend_names.begin(), backend_names.end(), name);
    if (found == backend_names.end())
        throw Error(ErrorCode::invalid_argument, "registry", "there is no backend called \"" + std::string(name) + "\"",
                    "`devq list` shows the backends.");
    return static_cast<std::size_t>(found - backend_names.begin());
}

Unavailable broken(std::string_view name, const std::string& reason) {
    return {std::string(name),
            "driver_broken",
            reason,
            "Look for an update of the driver, and report this text if it stays.",
            {}};
}

/// A backend never throws for what is missing, but a driver may do anything: it must not take the others along.
BackendEntry look_for(std::string_view name, unsigned parts) {
    BackendEntry entry;
    entry.parts = parts;
    LoadedModule loaded = load_module(name, module_folders());
    entry.path = loaded.path;
    if (loaded.module == nullptr) {
        entry.found.unavailable.push_back(std::move(loaded.failure));
        complete(entry.found.unavailable.back());
        return entry;
    }
    try {
        entry.backend = loaded.module->create();
        if (entry.backend != nullptr)
            entry.found = entry.backend->enumerate();
        else
            entry.found.unavailable.push_back(broken(name, loaded.path.string() + ": made no backend"));
    } catch (const std::exception& fault) {
        entry.found = {};
        entry.found.unavailable.push_back(broken(name, fault.what()));
    }
    split(entry.found.devices, parts);
    for (std::size_t i = 0; i < entry.found.devices.size(); ++i) {
        DeviceInfo& device = entry.found.devices[i];
        device.backend = name;
        device.id = std::string(name) + ":" + std::to_string(i);
        device.is_default = false;
        if (const std::string pci = normal_pci(device.pci); !pci.empty())
            device.pci = pci;
    }
    for (Unavailable& missing : entry.found.unavailable) {
        missing.backend = name;
        if (const std::string pci = normal_pci(missing.pci); !pci.empty())
            missing.pci = pci;
        complete(missing);
    }
    return entry;
}

/// A driver that never answers costs its own devices and some time.
BackendEntry make_entry(std::string_view name, unsigned parts) {
    if (!enumeration_touches(name))
        return look_for(name, parts);
    const std::chrono::seconds limit = patience();
    const std::string owned(name); // the thread may outlive the caller's
    if (auto found = in_time([owned, parts] { return look_for(owned, parts); }, limit))
        return std::move(*found);
    BackendEntry entry;
    entry.parts = parts;
    entry.found.unavailable.push_back(
        {owned,
         "crashed",
         "its driver gave no answer within " + std::to_string(limit.count()) + " s",
         "See whether the kernel's log tells of the device, and restart the machine if it "
         "does; DEVQ_TIMEOUT gives a slow driver more seconds.",
         {}});
    return entry;
}

} // namespace

Registry& Registry::instance() {
    Registry* registry = current.load(std::memory_order_acquire);
    while (registry == nullptr || registry->generation_ != fork_generation()) {
        auto* fresh = new Registry;
        fresh->generation_ = fork_generation();
        for (std::size_t i = 0; i < backend_names.size(); ++i)
            fresh->slots_[i].inherited = touched[i].load();
        if (current.compare_exchange_strong(registry, fresh, std::memory_order_acq_rel))
            return *fresh;
        delete fresh; // another thread was first
    }
    return *registry;
}

Registry::Slot& Registry::slot(std::string_view name) { return slots_[number_of(name)]; }

const BackendEntry& Registry::load(Slot& slot, std::string_view name) {
    if (slot.inherited)
        throw Error(ErrorCode::unsupported, {},
                    "this process was forked from one that had used the " + std::string(name) + " backend already",
                    "Drivers do not survive fork(): use devq only after the fork, or start the child with exec or "
                    "posix_spawn.");
    if (!slot.loaded) {
        const unsigned parts = virtual_parts(name);
        if (enumeration_touches(name))
            touched[number_of(name)] = true;
        slot.entry = make_entry(name, parts);
        slot.loaded = true;
    }
    return slot.entry;
}

const BackendEntry& Registry::entry(std::string_view name) {
    Slot& its = slot(name);
    const std::lock_guard lock(its.mutex);
    return load(its, name);
}

std::shared_ptr<DeviceState> Registry::open(std::string_view name, std::size_t index) {
    Slot& its = slot(name);
    const std::lock_guard lock(its.mutex);
    const BackendEntry& entry = load(its, name);
    if (entry.backend == nullptr || index >= entry.found.devices.size())
        throw Error(ErrorCode::unavailable, {}, "there is no device " + std::string(name) + ":" + std::to_string(index),
                    "`devq list` shows the devices.");
    if (auto known = its.opened[index].lock())
        return known;
    touched[number_of(name)] = true;
    const DeviceInfo& info = entry.found.devices[index];
    auto device = entry.backend->open(index / entry.parts);
    if (entry.parts > 1)
        device = make_part(std::move(device), info.memory_bytes);
    auto state = make_state(info, std::move(device));
    its.opened[index] = state;
    return state;
}

std::shared_ptr<DeviceState> Registry::adopt(std::string_view name, backend::NativeHandle device,
                                             backend::NativeHandle context) {
    Slot& its = slot(name);
    const std::lock_guard lock(its.mutex);
    const BackendEntry& entry = load(its, name);
    if (entry.backend == nullptr)
        throw Error(ErrorCode::unavailable, {}, "the backend " + std::string(name) + " cannot be used",
                    "`devq list` says why.");
    touched[number_of(name)] = true;
    std::size_t index = 0;
    auto imported = entry.backend->import_device(device, context, index);
    index *= entry.parts; // the first part stands for the whole
    if (index >= entry.found.devices.size())
        throw Error(ErrorCode::unavailable, {}, "the device is none of those that devq has listed",
                    "Wrap a device that `devq list` shows.");
    return make_state(entry.found.devices[index], std::move(imported));
}

std::shared_ptr<DeviceState> Registry::make_state(const DeviceInfo& info,
                                                  std::shared_ptr<backend::Device> device) const {
    auto state = std::make_shared<DeviceState>();
    state->info = info;
    state->device = std::move(device);
    state->builtins = make_builtin_kernels();
    state->fork_generation = generation_;
    if (info.type == DeviceType::cpu) // others want the machine's memory, too
        state->pool->set_cache_limit(std::max<std::uint64_t>(info.memory_bytes / 8, std::uint64_t{256} << 20));
    return state;
}

} // namespace devq::detail
