#pragma once
/// Who a device is, as its driver tells: read without a context.

#include "check.hpp"
#include <devq/device.hpp>
#include <string>
#include <string_view>

namespace devq::opencl {

// Handles are plain here: CLHPP's Device asks further questions of its own, and dies of a driver that does not answer.

/// A string that may be unknown to the driver: empty then, and trimmed otherwise.
std::string text_of(cl_device_id device, cl_device_info what);

/// What the driver must know; throws devq::Error when it does not.
template <class T>
T info_of(cl_device_id device, cl_device_info what) {
    T value{};
    check(clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
    return value;
}

/// Everything but `id`. Throws devq::Error when the driver does not answer what OpenCL 1.2 requires.
DeviceInfo describe(cl_device_id device, const std::string& platform_name);
Capabilities capabilities_of(cl_device_id device);

/// Major * 100 + minor of "OpenCL 1.2 ..."; 0 when the text has another form.
unsigned version_of(const std::string& text);

} // namespace devq::opencl
