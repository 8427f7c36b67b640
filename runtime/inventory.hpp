#pragma once
/// From a selector to devices in order of preference.

#include "selector.hpp"
#include <devq/device.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace devq::detail {

/// One term of a selector, or one place of the default order.
struct Step {
    std::string written;                    ///< the user's term; empty in the default order
    std::vector<std::string_view> backends; ///< those that must be loaded to answer it
    std::function<bool(const DeviceInfo&, const std::vector<DeviceInfo>& all)> takes; ///< exclusions applied
};

/// In order of preference.
std::vector<Step> steps_of(const Selector& selector);
/// Without repeats, most preferred backend first.
std::vector<std::string_view> backends_of(const std::vector<Step>& steps);
/// The devices of `backends`, which are loaded as needed.
std::vector<DeviceInfo> devices_of(const std::vector<std::string_view>& backends);
std::vector<DeviceInfo> matching(const Step& step, const std::vector<DeviceInfo>& all);
/// Rows of one physical device (by PCI address) become the first of them, with the others in `also`.
void merge_duplicates(std::vector<DeviceInfo>& rows, const std::vector<DeviceInfo>& all);
/// GPUs on the PCI bus that the selector means and no device of `all` is. `said`: what backends say of missing devices.
std::vector<Unavailable> unusable_gpus(const Selector& selector, const std::vector<DeviceInfo>& all,
                                       const std::vector<Unavailable>& said);
/// DEVQ_DEVICE, parsed.
Selector default_selector();

} // namespace devq::detail
