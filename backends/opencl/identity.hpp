#pragma once
/// Who a device is, as its driver tells: read without a context.

#include "cl.hpp"
#include <devq/device.hpp>
#include <string>

namespace devq::opencl {

/// A string that may be unknown to the driver: empty then, and trimmed otherwise.
std::string text_of(const cl::Device& device, cl_device_info what);
bool has_extension(const std::string& extensions, std::string_view name);

/// Everything but `id`. Throws cl::Error when the driver does not answer what OpenCL 1.2 requires.
DeviceInfo describe(const cl::Device& device, const std::string& platform_name);
Capabilities capabilities_of(const cl::Device& device);

/// Major * 100 + minor of "OpenCL 1.2 ..."; 0 when the text has another form.
unsigned version_of(const std::string& text);

} // namespace devq::opencl
