#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <devq/api.hpp>
#include <devq/dtype.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace devq {

class Buffer;
class Queue;
class Program;
namespace detail {
struct DeviceState;
}

enum class DeviceType { cpu, gpu, accelerator };
DEVQ_API std::string_view to_string(DeviceType type) noexcept;

/// Plain facts about what a device can do; zero or false means that it cannot.
struct Capabilities {
    std::array<std::size_t, 3> max_group{}; ///< largest work-group in each dimension
    std::size_t max_group_items = 0;        ///< largest work-group in all
    std::uint64_t local_memory_bytes = 0;   ///< local memory of one work-group
    std::uint64_t max_allocation_bytes = 0; ///< largest single buffer
    std::size_t max_argument_bytes = 0;     ///< all arguments of a kernel together
    bool f64 = false;                       ///< double precision in kernels
    bool f16_arithmetic = false;            ///< `half` as an arithmetic type; storage always works
    unsigned vector_width = 1;              ///< f32 lanes that kernels should use at once: 16, 8, 4 or 1
    unsigned preferred_group = 1;           ///< work-items in a group that suit it: 1 on CPUs
    /// Row of kernels/variants that this device takes: "cpu-v2", "cpu-v3", "cpu-v4", "opencl-cpu", "gpu".
    std::string device_class;
};

/// What `devq list` shows of a device. Cheap: made without opening the device.
struct DeviceInfo {
    std::string id;      ///< "cpu:0", "opencl:1": what a selector takes
    std::string backend; ///< "cpu", "opencl", "cuda"
    std::string name;
    std::string vendor; ///< "AMD", "Intel", "NVIDIA" where known, else as the driver says
    DeviceType type = DeviceType::cpu;
    std::uint64_t memory_bytes = 0;
    unsigned compute_units = 0;
    std::string pci;               ///< "0000:01:00.0", empty where there is none
    std::string platform;          ///< OpenCL platform and version, driver version, or ISA level
    std::vector<DType> dtypes;     ///< types that kernels can use
    std::vector<std::string> also; ///< other ids of the same physical device; of list_devices() only
    bool is_default = false;       ///< what open_device() takes when nothing is said; of list_devices() only
    /// Of a device that DEVQ_VIRTUAL_DEVICES has made: which of how many parts of the real one.
    unsigned virtual_part = 0, virtual_parts = 1;
};

/// A backend, or a GPU, that cannot be used: why, and what to do.
struct Unavailable {
    std::string backend; ///< empty for a GPU on PCI that nothing can use
    std::string code;    ///< library_missing, no_device, driver_too_old, ...: the list is in docs/cli.md
    std::string reason;  ///< the loader's or driver's own words
    std::string remedy;
    std::string pci;
};

struct Inventory {
    std::vector<DeviceInfo> devices;      ///< in the order of preference of the selector
    std::vector<Unavailable> unavailable; ///< of the backends that the selector names
};

/// Every device that `selector` matches (all of them when empty), and what is missing. A missing or broken vendor
/// library never throws; a malformed selector (or DEVQ_DEVICE) throws invalid_argument with a caret and the grammar.
/// Loads only the backends that can answer, each once a process; the default is marked where these can tell. Grammar:
/// list := term{','term}; term := ['!']atom; atom := backend[':'N] | opencl-cpu[':'N] | gpu | nvidia | amd | intel |
/// pci:ADDR | name:TEXT.
DEVQ_API Inventory list_devices(std::string_view selector = {});

/// How a user's kernel source is built.
struct BuildOptions {
    std::string file_name = "kernel.cl";                      ///< how messages name the source
    std::vector<std::pair<std::string, std::string>> defines; ///< macro name, value
    std::vector<std::filesystem::path> include_folders;       ///< searched for #include, in order
};

/// An opened device: a cheap handle; copies share the device, which closes when the last handle, queue, buffer or
/// program of it is gone. Thread-safe. May not be used in a forked child (Error unsupported).
class DEVQ_API Device {
public:
    Device() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    const DeviceInfo& info() const;
    const Capabilities& capabilities() const;

    Queue create_queue() const;
    /// Uninitialised memory of `bytes` (0 is valid). Throws out_of_memory, or invalid_argument above
    /// max_allocation_bytes.
    Buffer allocate(std::size_t bytes) const;
    /// Builds OpenCL C 1.2 text. Throws build_failed; the log names the lines of `source`.
    Program build(std::string_view source, const BuildOptions& options = {}) const;
    /// The same from a file; its folder is searched for #include first.
    Program build_file(const std::filesystem::path& file, BuildOptions options = {}) const;

    friend bool operator==(const Device& a, const Device& b) noexcept { return a.state_ == b.state_; }

    /// For the library itself.
    explicit Device(std::shared_ptr<detail::DeviceState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::DeviceState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::DeviceState> state_;
};

/// Opens the first device that `selector` matches. Empty: DEVQ_DEVICE, else the default order (cuda, opencl GPU, opencl
/// accelerator, cpu, opencl-cpu). When a preferred term cannot be had and a later one is taken, one line on stderr says
/// so; with DEVQ_STRICT=1 that is an Error instead. Throws unavailable when nothing matches (with every reason),
/// invalid_argument for a malformed selector.
DEVQ_API Device open_device(std::string_view selector = {});

} // namespace devq
