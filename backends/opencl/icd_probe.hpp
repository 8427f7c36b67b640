#pragma once
/// A broken OpenCL driver takes the process that loads it with it, whatever the caller does. So each one is first
/// loaded by devq-probe, a program of its own; only those that survive are then shown to the ICD loader.

#include <ctime>
#include <devq/device.hpp>
#include <memory>
#include <vector>

namespace devq::opencl {

/// Keeps OCL_ICD_VENDORS pointing at the drivers that survived, until it goes: hold it over the first OpenCL call of
/// the process (the loader reads the variable then, and never again), so that children see the user's own setting.
class LoaderSetting {
public:
    virtual ~LoaderSetting() = default;
};

struct ProbeResult {
    std::vector<Unavailable> broken;        ///< code "crashed", or "driver_broken" for a file that names nothing
    std::unique_ptr<LoaderSetting> setting; ///< null when every driver is fine: then nothing is changed
};

/// Probes every driver that the loader would load: side by side, 5 s each at most (half of DEVQ_TIMEOUT where that is
/// less), and not at all those found good (or, for ten minutes, bad) before and unchanged since. DEVQ_PROBE=0 trusts
/// them all, and so does a devq whose devq-probe is missing, which says so.
ProbeResult probe_drivers(std::time_t now = std::time(nullptr));

} // namespace devq::opencl
