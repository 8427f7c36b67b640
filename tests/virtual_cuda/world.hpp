#pragma once
/// The state of the stand-in for CUDA's driver: devices, contexts, faults on demand. What each variable does is said in
/// README.md. One lock guards everything.

#include "abi.hpp"
#include "memory.hpp"
#include "module.hpp"
#include "stream.hpp"
#include <devq/api.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace virtual_cuda {

namespace abi = devq::cuda::abi;

/// A device with its primary context.
struct DEVQ_API Device {
    int number = 0;
    std::string name;
    int capability = 0; ///< 81 for 8.1
    unsigned pci_domain = 0, pci_bus = 0, pci_slot = 0;
    int retained = 0;
    abi::Result broken = abi::success; ///< the sticky error, once there is one
    Memory memory;
    std::map<StreamState*, std::shared_ptr<StreamState>> streams;
    std::map<EventState*, std::shared_ptr<EventState>> events;
    std::map<ModuleState*, std::unique_ptr<ModuleState>> modules;
    std::map<GraphState*, std::unique_ptr<GraphState>> graphs, launchable;
    std::set<int> peers; ///< devices whose memory it may reach into

    std::size_t shared_limit() const;
    abi::Uuid uuid() const;
};

/// Exported, with all that the stand-ins for libraries of operations share.
struct DEVQ_API World {
    std::recursive_mutex mutex;
    int version = 13000;
    bool initialized = false;
    std::vector<std::unique_ptr<Device>> devices;
    std::map<void*, std::size_t> host_blocks; ///< what the device reads by itself

    static World& instance();
    /// What the fault list has for the next call of `name`; success when nothing.
    abi::Result fault(const std::string& name);
    /// The same for a function of another library than the driver's: none of "any", which speaks the driver's codes.
    int library_fault(const std::string& name);
    /// Replaces the fault list and counts from zero again.
    void plan(const std::string& list);
    unsigned long calls(const std::string& name = "any") const; ///< since the last plan; "any": of the driver
    bool is_device_readable(const void* address) const;

private:
    World();
    ~World();
    void report() const;

    struct Fault {
        std::string name; ///< "any": whichever call
        unsigned long at = 0;
        abi::Result result = abi::success;
        bool slow = false;
    };
    std::vector<Fault> faults_;
    std::map<std::string, unsigned long> calls_;
};

/// Device whose context is the calling thread's; null when none is.
DEVQ_API Device*& current() noexcept;

/// The first thing in every entry point: takes the lock, counts, and fails on demand.
class DEVQ_API Call {
public:
    enum class Needs { nothing, driver, context };
    Call(const char* name, Needs needs);
    abi::Result result() const noexcept { return result_; }
    /// What a call that has been carried out returns: those that give something back do so even where they are made to
    /// fail, as drivers tell of what went wrong before by whichever call comes next.
    abi::Result after(abi::Result carried_out) const noexcept { return late_ != abi::success ? late_ : carried_out; }
    Device& device() const noexcept { return *device_; }
    World& world() const noexcept { return world_; }

private:
    World& world_;
    std::lock_guard<std::recursive_mutex> lock_;
    Device* device_ = nullptr;
    abi::Result result_ = abi::success, late_ = abi::success;
};

} // namespace virtual_cuda
