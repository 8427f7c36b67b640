#include "expect.hpp"
#include "pci.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace {

/// A folder like /sys with devices of our choice.
class Bus {
public:
    Bus() {
        std::string name = (fs::temp_directory_path() / "devq-pci-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        root = name;
    }
    ~Bus() {
        std::error_code ignored;
        fs::remove_all(root, ignored);
    }
    void add(const std::string& address, const std::string& vendor, const std::string& device, const std::string& kind,
             const std::string& driver = {}) const {
        const fs::path folder = root / "bus/pci/devices" / address;
        fs::create_directories(folder);
        std::ofstream(folder / "vendor") << vendor << '\n';
        std::ofstream(folder / "device") << device << '\n';
        std::ofstream(folder / "class") << kind << '\n';
        if (!driver.empty())
            fs::create_symlink("../../../../bus/pci/drivers/" + driver, folder / "driver");
    }
    fs::path root;
};

} // namespace

TEST_CASE("GPUs on the bus, and what keeps them from use") {
    const Bus bus;
    bus.add("0000:41:00.0", "0x10de", "0x2330", "0x030200", "nvidia");
    bus.add("0000:21:00.0", "0x1002", "0x740f", "0x120000"); // an accelerator without a driver
    bus.add("0000:00:02.0", "0x8086", "0x9a49", "0x030000", "vfio-pci");
    bus.add("0000:00:01.0", "0x8086", "0x1234", "0x120000");           // Intel's accelerators are no GPUs
    bus.add("0000:00:03.0", "0x1af4", "0x1050", "0x030000", "virtio"); // a virtual screen
    bus.add("0000:41:00.1", "0x10de", "0x22c6", "0x040300", "snd");    // the GPU's sound
    const auto gpus = devq::detail::scan_pci(bus.root);
    REQUIRE(gpus.size() == 3);

    CHECK(gpus[0].address == "0000:00:02.0");
    CHECK(gpus[0].vendor == "intel");
    CHECK(gpus[0].entry.code == "permission");
    CHECK(holds(gpus[0].entry.reason, "vfio-pci"));

    CHECK(gpus[1].address == "0000:21:00.0");
    CHECK(gpus[1].vendor == "amd");
    CHECK(gpus[1].entry.code == "driver_broken");
    CHECK(holds(gpus[1].entry.reason, "AMD GPU 1002:740f at 0000:21:00.0: no kernel driver"));

    CHECK(gpus[2].vendor == "nvidia");
    CHECK(gpus[2].entry.code == "library_missing");
    CHECK(gpus[2].entry.backend.empty());
    CHECK(gpus[2].entry.pci == "0000:41:00.0");
    CHECK(holds(gpus[2].entry.remedy, "nvidia-opencl-icd"));
}

TEST_CASE("a machine without a PCI bus has no GPUs on it") {
    const Bus bus;
    CHECK(devq::detail::scan_pci(bus.root).empty());
    CHECK(devq::detail::scan_pci(bus.root / "nowhere").empty());
}
