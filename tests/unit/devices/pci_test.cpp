#include "expect.hpp"
#include "pci.hpp"
#include "pci_ids.hpp"
#include "unavailable.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using devq::Unavailable;
using devq::detail::explain_idle;
using devq::detail::PciGpu;

namespace {

/// The root folder of a system of our choice.
class System {
public:
    System() {
        std::string name = (fs::temp_directory_path() / "devq-pci-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        root = name;
        fs::permissions(root, fs::perms::all); // for the test of another user
    }
    ~System() {
        std::error_code ignored;
        fs::remove_all(root, ignored);
    }
    /// `node`: of the DRM subsystem ("renderD128"), where it has one.
    void add(const std::string& address, const std::string& vendor, const std::string& device, const std::string& kind,
             const std::string& driver = {}, const std::string& node = {}) const {
        const fs::path folder = root / "sys/bus/pci/devices" / address;
        fs::create_directories(folder);
        std::ofstream(folder / "vendor") << vendor << '\n';
        std::ofstream(folder / "device") << device << '\n';
        std::ofstream(folder / "class") << kind << '\n';
        if (!driver.empty())
            fs::create_symlink("../../../../bus/pci/drivers/" + driver, folder / "driver");
        if (!node.empty())
            fs::create_directories(folder / "drm" / node);
    }
    void add_node(const std::string& node) const {
        fs::create_directories(root / "dev/dri");
        std::ofstream(root / "dev/dri" / node) << "\n";
    }
    void add_names(const std::string& place, const std::string& text) const {
        fs::create_directories((root / place).parent_path());
        std::ofstream(root / place) << text;
    }
    fs::path root;
};

constexpr const char* names = "# a list as systems have it\n"
                              "1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
                              "\t740f  Aldebaran/MI200 [Instinct MI210]\n"
                              "\t\t1002 0c34  Instinct MI210\n"
                              "10de  NVIDIA Corporation\n"
                              "\t2330  GH100 [H100 SXM5 80GB]  \r\n"
                              "\t2331  \n"
                              "8086  Intel Corporation\n"
                              "\t740f  not AMD's\n"
                              "C 03  Display controller\n"
                              "\t00  VGA compatible controller\n";

} // namespace

TEST_CASE("GPUs on the bus, and what keeps them from use") {
    const System system;
    system.add("0000:41:00.0", "0x10de", "0x2330", "0x030200", "nvidia");
    system.add("0000:21:00.0", "0x1002", "0x740f", "0x120000"); // an accelerator without a driver
    system.add("0000:00:02.0", "0x8086", "0x9a49", "0x030000", "vfio-pci");
    system.add("0000:42:00.0", "0x10de", "0x1234", "0x030000", "nouveau");
    system.add("0000:43:00.0", "0x1002", "0x1234", "0x030000", "amdgpu", "renderD128"); // its file is not there
    system.add("0000:00:01.0", "0x8086", "0x1234", "0x120000");           // Intel's accelerators are no GPUs
    system.add("0000:00:03.0", "0x1af4", "0x1050", "0x030000", "virtio"); // a virtual screen
    system.add("0000:41:00.1", "0x10de", "0x22c6", "0x040300", "snd");    // the GPU's sound
    const auto gpus = devq::detail::scan_pci(system.root);
    REQUIRE(gpus.size() == 5);

    CHECK(gpus[0].address == "0000:00:02.0");
    CHECK(gpus[0].vendor == "intel");
    CHECK(gpus[0].entry.code == "permission");
    CHECK(holds(gpus[0].entry.reason, "vfio-pci"));

    CHECK(gpus[1].address == "0000:21:00.0");
    CHECK(gpus[1].vendor == "amd");
    CHECK(gpus[1].entry.code == "driver_broken");
    CHECK(gpus[1].entry.reason == "AMD GPU 1002:740f at 0000:21:00.0: no kernel driver is bound to it"); // no pci.ids
    CHECK(holds(gpus[1].entry.remedy, "modprobe amdgpu"));

    CHECK(gpus[2].vendor == "nvidia");
    CHECK(gpus[2].entry.code == "library_missing");
    CHECK(gpus[2].entry.backend.empty());
    CHECK(gpus[2].entry.pci == "0000:41:00.0");
    CHECK(holds(gpus[2].entry.remedy, "nvidia-opencl-icd"));

    CHECK(gpus[3].entry.code == "library_missing");
    CHECK(holds(gpus[3].entry.reason, "nouveau"));

    CHECK(gpus[4].entry.code == "permission");
    CHECK(holds(gpus[4].entry.reason, "/dev/dri/renderD128 is not there"));
    CHECK(holds(gpus[4].entry.remedy, "--device /dev/dri/renderD128"));
    for (const PciGpu& gpu : gpus) {
        CHECK(devq::detail::find_code(gpu.entry.code) != nullptr);
        CHECK_FALSE(gpu.entry.remedy.empty());
    }
}

TEST_CASE("names from pci.ids, wherever the system has it") {
    for (const char* place : {"usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids"}) {
        const System system;
        system.add("0000:41:00.0", "0x10de", "0x2330", "0x030200", "nvidia");
        system.add("0000:21:00.0", "0x1002", "0x740f", "0x120000");
        system.add("0000:22:00.0", "0x1002", "0xffff", "0x120000"); // not in the list
        system.add_names(place, names);
        const auto gpus = devq::detail::scan_pci(system.root);
        REQUIRE(gpus.size() == 3);
        CHECK(gpus[0].what == "AMD GPU Aldebaran/MI200 [Instinct MI210] (1002:740f) at 0000:21:00.0");
        CHECK(gpus[1].what == "AMD GPU 1002:ffff at 0000:22:00.0");
        CHECK(gpus[2].what == "NVIDIA GPU GH100 [H100 SXM5 80GB] (10de:2330) at 0000:41:00.0");
        CHECK(gpus[2].entry.reason.rfind(gpus[2].what, 0) == 0);
        const fs::path file = devq::detail::pci_ids_file(system.root);
        CHECK(file == system.root / place);
        CHECK(devq::detail::pci_name(file, "8086", "740f") == "not AMD's");
        CHECK(devq::detail::pci_name(file, "8086", "2330").empty());
        CHECK(devq::detail::pci_name(file, "10de", "2331").empty());
        CHECK(devq::detail::pci_name(file, "dead", "2330").empty());
        CHECK(devq::detail::pci_name(system.root / "nowhere", "10de", "2330").empty());
    }
    CHECK(devq::detail::pci_ids_file("/nowhere").empty());
}

TEST_CASE("a device file that this user may not open") {
    const System system;
    system.add("0000:43:00.0", "0x1002", "0x1234", "0x030000", "amdgpu", "renderD128");
    system.add_node("renderD128");
    CHECK(devq::detail::scan_pci(system.root).at(0).entry.code == "library_missing");
    fs::permissions(system.root / "dev/dri/renderD128", fs::perms::none);
    const pid_t child = fork(); // root may open everything: another user looks
    if (child == 0) {
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(2);
        const auto gpus = devq::detail::scan_pci(system.root);
        const bool right = gpus.size() == 1 && gpus[0].entry.code == "permission" &&
                           holds(gpus[0].entry.reason, "/dev/dri/renderD128: permission denied") &&
                           holds(gpus[0].entry.remedy, "render or video");
        _exit(right ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("what a backend has said of a GPU counts") {
    const System system;
    system.add("0000:41:00.0", "0x10de", "0x2330", "0x030200", "nvidia");
    system.add("0000:21:00.0", "0x1002", "0x740f", "0x120000", "amdgpu");
    system.add("0000:42:00.0", "0x10de", "0x2330", "0x030200", "vfio-pci");
    const auto gpus = devq::detail::scan_pci(system.root);
    REQUIRE(gpus.size() == 3);
    const PciGpu &amd = gpus[0], &nvidia = gpus[1], &aside = gpus[2];
    const Unavailable missing{"cuda", "library_missing", "libcuda.so.1: cannot open", "Install it.", {}};
    const Unavailable hidden{"cuda", "hidden_by_environment", "CUDA_VISIBLE_DEVICES=\"\"", "Unset it.", {}};
    const Unavailable old{"cuda", "unsupported_architecture", "too old", "Buy one.", "0000:41:00.0"};
    const Unavailable other{"cuda", "unsupported_architecture", "too old", "Buy one.", "0000:99:00.0"};
    const Unavailable opencl{"opencl", "driver_broken", "platform X", "Mend it.", {}};

    CHECK(explain_idle(nvidia, {}, nullptr).code == "library_missing");
    CHECK(holds(explain_idle(nvidia, {}, nullptr).reason, "no backend offers it"));
    for (const Unavailable& one : {missing, hidden, old}) {
        const Unavailable entry = explain_idle(nvidia, {opencl, one}, nullptr);
        CHECK(entry.backend.empty());
        CHECK(entry.pci == "0000:41:00.0");
        CHECK(entry.code == one.code);
        CHECK(entry.remedy == one.remedy);
        CHECK(holds(entry.reason, "NVIDIA GPU 10de:2330 at 0000:41:00.0: cuda: " + one.reason));
    }
    CHECK(holds(explain_idle(nvidia, {opencl, other}, nullptr).reason, "no backend offers it"));
    CHECK(holds(explain_idle(amd, {missing, opencl}, "").reason, "no backend offers it")); // CUDA is not AMD's
    CHECK(explain_idle(aside, {missing}, nullptr).code == "permission"); // what stands before any library
    const Unavailable unseen = explain_idle(nvidia, {}, "1");            // CUDA works, with other devices
    CHECK(unseen.code == "hidden_by_environment");
    CHECK(holds(unseen.reason, "CUDA_VISIBLE_DEVICES=\"1\" does not name it"));
}

TEST_CASE("a machine without a PCI bus has no GPUs on it") {
    const System system;
    CHECK(devq::detail::scan_pci(system.root).empty());
    CHECK(devq::detail::scan_pci(system.root / "nowhere").empty());
}

TEST_CASE("entries are completed by the table of codes") {
    Unavailable entry{"x", "no_device", {}, {}, {}};
    devq::detail::complete(entry);
    CHECK(entry.reason == devq::detail::find_code("no_device")->meaning);
    CHECK(entry.remedy == devq::detail::find_code("no_device")->remedy);
    Unavailable odd{"x", "on_strike", "it says no", {}, {}};
    devq::detail::complete(odd);
    CHECK(odd.code == "driver_broken");
    CHECK(odd.reason == "it says no (on_strike)");
    CHECK_FALSE(odd.remedy.empty());
}
