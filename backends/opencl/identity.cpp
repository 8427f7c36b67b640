#include "identity.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <optional>

namespace devq::opencl {

namespace {

// cl_nv_device_attribute_query and cl_amd_device_attribute_query: not in every version of the headers.
constexpr cl_device_info pci_bus_nv = 0x4008, pci_slot_nv = 0x4009, pci_domain_nv = 0x400A;
constexpr cl_device_info topology_amd = 0x4037, board_name_amd = 0x4038;

struct TopologyAmd {
    cl_uint type;
    cl_char unused[17];
    cl_char bus, device, function;
};
static_assert(sizeof(TopologyAmd) == 24);

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string normal_vendor(const std::string& said) {
    const std::string text = lower(said);
    if (text.find("nvidia") != text.npos)
        return "NVIDIA";
    if (text.find("advanced micro devices") != text.npos || text.find("authenticamd") != text.npos || text == "amd" ||
        text.starts_with("amd "))
        return "AMD";
    if (text.find("intel") != text.npos)
        return "Intel";
    return said;
}

bool has_extension(const std::string& extensions, std::string_view name) {
    return (' ' + extensions + ' ').find(' ' + std::string(name) + ' ') != std::string::npos;
}

template <class T>
std::optional<T> optional_info(cl_device_id device, cl_device_info what) {
    T value{};
    if (clGetDeviceInfo(device, what, sizeof value, &value, nullptr) != CL_SUCCESS)
        return std::nullopt;
    return value;
}

std::string pci_address(cl_device_id device, const std::string& extensions) {
    const auto format = [](unsigned domain, unsigned bus, unsigned slot, unsigned function) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", domain, bus, slot, function);
        return std::string(text.data());
    };
    if (has_extension(extensions, "cl_khr_pci_bus_info"))
        if (const auto at = optional_info<cl_device_pci_bus_info_khr>(device, CL_DEVICE_PCI_BUS_INFO_KHR))
            return format(at->pci_domain, at->pci_bus, at->pci_device, at->pci_function);
    if (has_extension(extensions, "cl_nv_device_attribute_query")) {
        const auto bus = optional_info<cl_uint>(device, pci_bus_nv), slot = optional_info<cl_uint>(device, pci_slot_nv);
        if (bus && slot) // the slot holds device and function, as in the kernel's devfn
            return format(optional_info<cl_uint>(device, pci_domain_nv).value_or(0), *bus, *slot >> 3, *slot & 7);
    }
    if (has_extension(extensions, "cl_amd_device_attribute_query"))
        if (const auto at = optional_info<TopologyAmd>(device, topology_amd); at && at->type == 1) // 1: PCI Express
            return format(0, static_cast<unsigned char>(at->bus), static_cast<unsigned char>(at->device),
                          static_cast<unsigned char>(at->function));
    return {};
}

bool has_f64(cl_device_id device, const std::string& extensions) {
    return has_extension(extensions, "cl_khr_fp64") ||
           optional_info<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0;
}

DeviceType type_of(cl_device_id device) {
    const auto type = info_of<cl_device_type>(device, CL_DEVICE_TYPE);
    return type & CL_DEVICE_TYPE_GPU   ? DeviceType::gpu
           : type & CL_DEVICE_TYPE_CPU ? DeviceType::cpu
                                       : DeviceType::accelerator;
}

} // namespace

std::string text_of(cl_device_id device, cl_device_info what) {
    std::size_t size = 0;
    if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0)
        return {};
    std::string text(size, '\0');
    if (clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS)
        return {};
    while (!text.empty() && (text.back() == '\0' || text.back() == ' '))
        text.pop_back();
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

unsigned version_of(const std::string& text) {
    unsigned major = 0, minor = 0;
    return std::sscanf(text.c_str(), "OpenCL %u.%u", &major, &minor) == 2 ? major * 100 + minor : 0;
}

DeviceInfo describe(cl_device_id device, const std::string& platform_name) {
    const std::string extensions = text_of(device, CL_DEVICE_EXTENSIONS);
    const std::string version = text_of(device, CL_DEVICE_VERSION);

    DeviceInfo info;
    info.backend = "opencl";
    info.name = text_of(device, CL_DEVICE_NAME);
    if (has_extension(extensions, "cl_amd_device_attribute_query")) // the name is the architecture there
        if (const std::string board = text_of(device, board_name_amd); !board.empty() && board != info.name)
            info.name = board + " (" + info.name + ")";
    info.vendor = normal_vendor(text_of(device, CL_DEVICE_VENDOR));
    info.type = type_of(device);
    info.memory_bytes = info_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info.compute_units = info_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info.pci = pci_address(device, extensions);
    info.platform = platform_name + ", OpenCL " + std::to_string(version_of(version) / 100) + '.' +
                    std::to_string(version_of(version) % 100) + ", driver " + text_of(device, CL_DRIVER_VERSION);
    info.dtypes = {DType::f32, DType::f16, DType::bf16};
    if (has_f64(device, extensions))
        info.dtypes.push_back(DType::f64);
    info.dtypes.insert(info.dtypes.end(),
                       {DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64});
    return info;
}

Capabilities capabilities_of(cl_device_id device) {
    const std::string extensions = text_of(device, CL_DEVICE_EXTENSIONS);
    std::vector<std::size_t> group(std::max<cl_uint>(3, info_of<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)));
    check(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, group.size() * sizeof(std::size_t), group.data(),
                          nullptr),
          "clGetDeviceInfo");

    Capabilities can;
    std::copy_n(group.begin(), can.max_group.size(), can.max_group.begin());
    can.max_group_items = info_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    can.local_memory_bytes = info_of<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
    can.max_allocation_bytes = info_of<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    can.max_argument_bytes = info_of<std::size_t>(device, CL_DEVICE_MAX_PARAMETER_SIZE);
    can.f64 = has_f64(device, extensions);
    can.f16_arithmetic = has_extension(extensions, "cl_khr_fp16");
    if (type_of(device) == DeviceType::cpu) {
        const cl_uint lanes = info_of<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
        can.device_class = "opencl-cpu";
        can.vector_width = lanes >= 16 ? 16 : lanes >= 8 ? 8 : lanes >= 4 ? 4 : 1;
        can.preferred_group = 1; // one work-item with wide vectors: no barriers, and all registers for its tile
    } else {
        can.device_class = "gpu";
        can.vector_width = 4;
        can.preferred_group = static_cast<unsigned>(std::min<std::size_t>(256, can.max_group_items));
    }
    return can;
}

} // namespace devq::opencl
