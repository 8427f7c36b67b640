#pragma once
/// The backends of this process: each loaded and enumerated once, when first asked for, and kept to the end.

#include "backend.hpp"
#include "selector.hpp"
#include "state.hpp"
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace devq::detail {

struct BackendEntry {
    std::unique_ptr<backend::Backend> backend; ///< null: the module could not be used
    std::filesystem::path path;                ///< of the module
    backend::Enumeration found;                ///< ids, PCI addresses in one form; immutable
    unsigned parts = 1;                        ///< virtual devices that each device of the backend is split into
};

/// Thread-safe; one lock a backend, so that a slow driver holds up no other.
class Registry {
public:
    /// Of this process: a forked child gets one of its own. Lives to the end of the process, so that no order of
    /// destruction matters.
    static Registry& instance();

    /// Loads and enumerates the backend at the first call. Throws unsupported only in a forked child whose parent had
    /// used this backend (for cpu: opened its device), and invalid_argument for a malformed DEVQ_VIRTUAL_DEVICES.
    const BackendEntry& entry(std::string_view name);
    /// The device `index` of that backend; the same one as long as anybody has it open.
    std::shared_ptr<DeviceState> open(std::string_view name, std::size_t index);
    /// A device in somebody else's context: a new one at each call.
    std::shared_ptr<DeviceState> adopt(std::string_view name, backend::NativeHandle device,
                                       backend::NativeHandle context);

private:
    struct Slot {
        std::mutex mutex;
        bool loaded = false;
        bool inherited = false; ///< an ancestor had loaded it
        BackendEntry entry;
        std::map<std::size_t, std::weak_ptr<DeviceState>> opened;
    };
    Registry() = default;
    Slot& slot(std::string_view name);
    const BackendEntry& load(Slot& slot, std::string_view name); // under its lock
    std::shared_ptr<DeviceState> make_state(const DeviceInfo& info, std::shared_ptr<backend::Device> device) const;

    std::array<Slot, backend_names.size()> slots_;
    std::uint64_t generation_ = 0;
};

} // namespace devq::detail
