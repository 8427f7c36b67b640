#pragma once
/// Capabilities that drivers claim and devq believes only after a run.

namespace devq::opencl {

class Device;

/// Whether kernels of the device, which offers cl_khr_fp16, really compute in half. The answer is kept between
/// processes with the kernels, so that it costs a build only once.
bool computes_in_half(Device& device);

} // namespace devq::opencl
