#pragma once
/// NVRTC, NVIDIA's run-time compiler, opened at run time.

#include "abi_nvrtc.hpp"
#include <devq/device.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace devq::cuda {

struct Nvrtc {
#define DEVQ_NVRTC_MEMBER(name, symbol, older, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    DEVQ_NVRTC_SYMBOLS(DEVQ_NVRTC_MEMBER)
#undef DEVQ_NVRTC_MEMBER
    std::string file;           ///< as it was opened
    int major = 0, minor = 0;   ///< version
    std::vector<int> supported; ///< architectures, ascending: 75, 80, ...
};

/// Fills `compiler` with the newest NVRTC that suits a driver of this version (as cuDriverGetVersion counts), else with
/// any; or says why it cannot. DEVQ_NVRTC names a file that is taken instead.
std::optional<Unavailable> load(Nvrtc& compiler, int driver_version);

/// What a kernel is compiled to for a device.
struct Target {
    int architecture = 0;
    bool machine_code = false; ///< else PTX, which the driver compiles

    std::string name() const { return (machine_code ? "sm_" : "compute_") + std::to_string(architecture); }
};

/// Machine code where NVRTC knows the very architecture (75 for capability 7.5), else PTX of the highest one below it.
/// Null where all that it knows are newer than the device.
std::optional<Target> target_for(const Nvrtc& compiler, int capability);

/// Why a device of this capability cannot be used with this driver and compiler; null when it can.
std::optional<Unavailable> obstacle(const Nvrtc& compiler, int capability, int driver_version);

} // namespace devq::cuda
