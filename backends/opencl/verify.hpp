#pragma once
/// Capabilities that drivers claim and devq believes only after a run.

#include <string>

namespace devq::opencl {

class Device;

/// Whether kernels of the device, which offers cl_khr_fp16, really compute in half. The answer is kept between
/// processes with the kernels, so that it costs a build only once.
bool computes_in_half(Device& device);
/// What comes of trying it now: empty where it does compute in half, else why not.
std::string half_fault(Device& device);

} // namespace devq::opencl
