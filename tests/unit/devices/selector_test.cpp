#include "expect.hpp"
#include "inventory.hpp"
#include "selector.hpp"

using namespace devq;
using namespace devq::detail;
using Kind = SelectorAtom::Kind;
constexpr auto invalid = ErrorCode::invalid_argument;

namespace {

DeviceInfo device(const std::string& id, DeviceType type, const std::string& vendor, const std::string& name,
                  const std::string& pci = {}) {
    DeviceInfo info;
    info.id = id;
    info.backend = id.substr(0, id.find(':'));
    info.type = type;
    info.vendor = vendor;
    info.name = name;
    info.pci = pci;
    return info;
}

/// In the backends' own order, as the registry gives them.
const std::vector<DeviceInfo> machine = {
    device("cuda:0", DeviceType::gpu, "NVIDIA", "NVIDIA H200", "0000:01:00.0"),
    device("opencl:0", DeviceType::cpu, "AMD", "pthread-AMD EPYC"),
    device("opencl:1", DeviceType::gpu, "NVIDIA Corporation", "NVIDIA H200", "0000:01:00.0"),
    device("opencl:2", DeviceType::gpu, "Advanced Micro Devices, Inc.", "gfx90a", "0000:41:00.0"),
    device("opencl:3", DeviceType::accelerator, "Xilinx", "fpga"),
    device("opencl:4", DeviceType::cpu, "Intel(R) Corporation", "AMD EPYC through Intel"),
    device("opencl:5", DeviceType::gpu, "Intel(R) Corporation", "Arc", "0000:03:00.0"),
    device("cpu:0", DeviceType::cpu, "AMD", "AMD EPYC 9554"),
};

/// Ids in order, with what was merged: "cuda:0+opencl:1 cpu:0".
std::string chosen(const std::string& selector) {
    std::vector<DeviceInfo> rows;
    for (const Step& step : steps_of(parse_selector(selector)))
        for (const DeviceInfo& row : matching(step, machine))
            rows.push_back(row);
    merge_duplicates(rows, machine);
    std::string text;
    for (const DeviceInfo& row : rows) {
        text += (text.empty() ? "" : " ") + row.id;
        for (const std::string& other : row.also)
            text += "+" + other;
    }
    return text;
}

std::string backends(const std::string& selector) {
    std::string text;
    for (const std::string_view name : backends_of(steps_of(parse_selector(selector))))
        text += (text.empty() ? "" : " ") + std::string(name);
    return text;
}

} // namespace

TEST_CASE("every atom") {
    const Selector all =
        parse_selector("cpu,opencl:3,opencl-cpu,opencl-cpu:1,gpu,nvidia,amd,intel,pci:01:00.0,name:Tesla V");
    REQUIRE(all.wanted.size() == 10);
    CHECK(all.excluded.empty());
    const Kind kinds[] = {Kind::backend, Kind::backend, Kind::opencl_cpu, Kind::opencl_cpu, Kind::gpu,
                          Kind::vendor,  Kind::vendor,  Kind::vendor,     Kind::pci,        Kind::name};
    const char* texts[] = {"cpu",    "opencl", "opencl-cpu", "opencl-cpu",   "gpu",
                           "nvidia", "amd",    "intel",      "0000:01:00.0", "tesla v"};
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
        CAPTURE(i);
        CHECK(all.wanted[i].kind == kinds[i]);
        CHECK(all.wanted[i].text == texts[i]);
    }
    CHECK_FALSE(all.wanted[0].index);
    CHECK(all.wanted[1].index == std::size_t{3});
    CHECK_FALSE(all.wanted[2].index);
    CHECK(all.wanted[3].index == std::size_t{1});
    CHECK(parse_selector("").wanted.empty());
    CHECK(parse_selector("  ").wanted.empty());
    CHECK(parse_selector(" cpu , !gpu ").excluded.at(0).kind == Kind::gpu);
    CHECK(parse_selector("name:a:b").wanted.at(0).text == "a:b");
    CHECK(parse_selector("!name:x").excluded.at(0).written == "name:x");
}

TEST_CASE("PCI addresses in every usual form") {
    CHECK(normal_pci("0000:01:00.0") == "0000:01:00.0");
    CHECK(normal_pci("01:00.0") == "0000:01:00.0");
    CHECK(normal_pci("00000000:C1:00.0") == "0000:c1:00.0"); // as nvidia-smi prints it
    CHECK(normal_pci("10000:e1:00.0") == "10000:e1:00.0");   // as virtual machines may have it
    CHECK(normal_pci("1:0.7") == "0000:01:00.7");
    for (const char* bad : {"", "1", "01:00", "01.0", "01:00.", ":00.0", "01:.0", "g1:00.0", "01:00.00", "001:00.0",
                            "0:0:0:0.0", "01:00.0 ", "000000000:01:00.0", ":01:00.0", "0.0:1"}) {
        CAPTURE(bad);
        CHECK(normal_pci(bad).empty());
    }
}

TEST_CASE("what each atom takes, in order of preference") {
    CHECK(chosen("cpu") == "cpu:0");
    CHECK(chosen("cpu:1") == "");
    CHECK(chosen("opencl") == "opencl:1+cuda:0 opencl:2 opencl:5 opencl:3 opencl:0 opencl:4");
    CHECK(chosen("opencl:3") == "opencl:3");
    CHECK(chosen("opencl-cpu") == "opencl:0 opencl:4");
    CHECK(chosen("opencl-cpu:1") == "opencl:4");
    CHECK(chosen("opencl-cpu:2") == "");
    CHECK(chosen("gpu") == "cuda:0+opencl:1 opencl:2 opencl:5");
    CHECK(chosen("nvidia") == "cuda:0+opencl:1");
    CHECK(chosen("amd") == "opencl:2");   // not the CPU, which AMD made too
    CHECK(chosen("intel") == "opencl:5"); // nor a CPU that Intel's driver serves
    CHECK(chosen("pci:41:00.0") == "opencl:2");
    CHECK(chosen("pci:0000:01:00.0") == "cuda:0+opencl:1");
    CHECK(chosen("name:epyc") == "cpu:0 opencl:0 opencl:4");
    CHECK(chosen("name:h200,cpu") == "cuda:0+opencl:1 cpu:0");
    CHECK(chosen("cpu,gpu") == "cpu:0 cuda:0+opencl:1 opencl:2 opencl:5");
    CHECK(chosen("cpu,cpu:0,name:EPYC 9554") == "cpu:0"); // named twice, listed once
    CHECK(chosen("opencl:1,cuda") == "opencl:1+cuda:0");  // the same GPU: the form that was preferred
}

TEST_CASE("the default order, and exclusions") {
    CHECK(chosen("") == "cuda:0+opencl:1 opencl:2 opencl:5 opencl:3 cpu:0 opencl:0 opencl:4");
    CHECK(chosen("!cuda") == "opencl:1+cuda:0 opencl:2 opencl:5 opencl:3 cpu:0 opencl:0 opencl:4");
    CHECK(chosen("!gpu") == "opencl:3 cpu:0 opencl:0 opencl:4");
    CHECK(chosen("!nvidia,!opencl-cpu") == "opencl:2 opencl:5 opencl:3 cpu:0");
    CHECK(chosen("gpu,!pci:41:00.0") == "cuda:0+opencl:1 opencl:5");
    CHECK(chosen("!intel,gpu,cpu") == "cuda:0+opencl:1 opencl:2 cpu:0"); // wherever it stands
    CHECK(chosen("!opencl-cpu:0,opencl-cpu") == "opencl:4");
    CHECK(chosen("cpu,!cpu") == "");
    CHECK(chosen("!name:epyc,!gpu") == "opencl:3");
}

TEST_CASE("only the backends that can answer are loaded") {
    CHECK(backends("") == "cuda opencl cpu");
    CHECK(backends("cpu:0") == "cpu");
    CHECK(backends("cuda,cpu") == "cuda cpu");
    CHECK(backends("opencl-cpu:0") == "opencl");
    CHECK(backends("gpu") == "cuda opencl");
    CHECK(backends("nvidia") == "cuda opencl");
    CHECK(backends("amd") == "opencl");
    CHECK(backends("pci:01:00.0") == "cuda opencl");
    CHECK(backends("name:x") == "cuda opencl cpu");
    CHECK(backends("!opencl") == "cuda cpu");
    CHECK(backends("!gpu") == "opencl cpu"); // CUDA has nothing else
    CHECK(backends("!opencl:0") == "cuda opencl cpu");
    CHECK(backends("gpu,!cuda") == "opencl");
    CHECK(backends("cpu,!cpu") == "");
}

TEST_CASE("a malformed selector shows the fault and the grammar") {
    struct Case {
        const char *text, *problem;
        std::size_t column;
    };
    const Case cases[] = {
        {"foo", "\"foo\"", 0},
        {"cpu,foo", "\"foo\"", 4},
        {"CPU", "\"CPU\"", 0},
        {"cpu,", "expected here", 4},
        {",cpu", "expected here", 0},
        {"cpu,,gpu", "expected here", 4},
        {"cpu, !", "after '!'", 6},
        {"!!cpu", "\"!cpu\"", 1},
        {"cpu:", "number", 4},
        {"cpu:x", "number", 4},
        {"cpu:1x", "number", 5},
        {"cpu:-1", "number", 4},
        {"cpu:+1", "number", 4},
        {"cpu: 1", "number", 4},
        {"cpu:99999999999999999999", "too large", 4},
        {"gpu:0", "takes no number", 3},
        {"nvidia:0", "takes no number", 6},
        {"name", "after \"name:\"", 4},
        {"name:", "after \"name:\"", 5},
        {"name:,cpu", "after \"name:\"", 5},
        {"cpu,pci", "after \"pci:\"", 7},
        {"pci:zz", "after \"pci:\"", 4},
        {":0", "expected", 0},
        {"ä,x", "\"ä\"", 0},
        {"name:ä,x", "\"x\"", 7},
        {"cpu;gpu", "\"cpu;gpu\"", 0},
    };
    for (const Case& wrong : cases) {
        CAPTURE(wrong.text);
        const std::string text = thrown(invalid, [&] { parse_selector(wrong.text); });
        CHECK(holds(text, wrong.problem));
        CHECK(holds(text, "\n  " + std::string(wrong.text) + "\n  " + std::string(wrong.column, ' ') + "^\n"));
        CHECK(holds(text, "list := term{','term}"));
        CHECK(holds(text, "opencl-cpu[':'N]"));
    }
    CHECK(holds(thrown(invalid, [] { parse_selector("foo", "DEVQ_DEVICE"); }), "DEVQ_DEVICE: there is no backend"));
    CHECK(holds(thrown(invalid, [] { parse_selector("cpu\tx\n"); }), "\n  cpu?x?\n  ^\n")); // one line, one caret
}
