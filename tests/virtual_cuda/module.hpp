#pragma once
/// Modules: PTX is decoded, of machine code only architecture and names are read.

#include "abi.hpp"
#include "ptx.hpp"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace virtual_cuda {

struct Device;
struct ModuleState;

struct Function {
    ModuleState* module = nullptr;
    std::shared_ptr<const Kernel> kernel; ///< null in machine code, which is not run
    std::size_t dynamic_limit = 48 << 10;
};

struct ModuleState {
    Device* device = nullptr;
    std::map<std::string, Function> functions;
    devq::cuda::abi::DevicePointer data = 0; ///< the module's own global memory

    ModuleState() = default;
    ModuleState(const ModuleState&) = delete;
    ModuleState& operator=(const ModuleState&) = delete;
    ~ModuleState();
};

/// As cuModuleLoadData judges the image for the module's device and a driver of this version. `log` says why not.
devq::cuda::abi::Result read_module(const char* image, int driver_version, ModuleState& module, std::string& log);

} // namespace virtual_cuda
