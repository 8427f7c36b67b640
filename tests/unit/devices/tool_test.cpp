// The program's exit codes and messages, and what it makes of wrong words, variables and closed outputs.
#include "expect.hpp"
#include "machine.hpp"
#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

using nlohmann::json;
using support::Machine;
using support::Result;

namespace {

/// The tool through a shell, which can close and fill its outputs.
Result shell(const Machine& machine, const std::string& words) {
    return support::run({"/bin/sh", "-c", "'" + (machine.path() / "tool").string() + "' " + words},
                        machine.environment);
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

} // namespace

TEST_CASE("option values that are none") {
    const Machine machine;
    struct Case {
        std::vector<std::string> words;
        std::string says;
    };
    const Case cases[] = {
        {{"test", "--seed", "-1"}, "--seed: \"-1\" is no number"},
        {{"test", "--seed=-1"}, "--seed: \"-1\" is no number"},
        {{"test", "--seed", "18446744073709551616"}, "too large"},
        {{"test", "--seed", "1e3"}, "is no number"},
        {{"test", "--seed", "7x"}, "is no number"},
        {{"test", "--seed", ""}, "is no number"},
        {{"test", "--op", ""}, "--op: the value is empty"},
        {{"test", "--dtype="}, "--dtype"},
        {{"test", "--shape", ""}, "--shape: the value is empty"},
        {{"test", "--device", ""}, "--device: the value is empty"},
        {{"test", "--device", " "}, "--device: the value is empty"},
        {{"test", "--junit", ""}, "--junit: the value is empty"},
        {{"test", "--mode", ""}, "--mode: the value is empty"},
        {{"test", "--quick=3"}, "--quick"},
        {{"test", "--json=1"}, "--json"},
        {{"list", "--json=yes"}, "--json"},
        {{"list", ""}, "the value is empty"},
        {{"info", ""}, "the value is empty"},
    };
    for (const Case& wrong : cases) {
        CAPTURE(wrong.words.back());
        const Result result = machine.devq(wrong.words);
        CAPTURE(result.err);
        CHECK(result.status == 2);
        CHECK(result.out.empty());
        CHECK(holds(result.err, wrong.says));
        CHECK(result.err.rfind("devq " + wrong.words[0] + ": ", 0) == 0);
        CHECK(holds(result.err, "Usage: devq " + wrong.words[0])); // the right one
    }
    // The largest seed is one: it comes as far as the device.
    CHECK(machine.devq({"test", "--seed", "18446744073709551615", "--device", "cuda"}).status == 3);
}

TEST_CASE("each message is led by the command once") {
    const Machine machine;
    const Result unwritable = machine.devq({"test", "--junit", "/nowhere/at/all.xml"});
    CHECK(unwritable.status == 2);
    CHECK(unwritable.err.rfind("devq test: --junit: \"/nowhere/at/all.xml\" cannot be written", 0) == 0);
    CHECK(machine.devq({"test", "--mode", "speed"}).err.rfind("devq test: there is no mode \"speed\"", 0) == 0);
    CHECK(machine.devq({"test", "--mode", "wrong"}).status == 2);
    CHECK(machine.devq({"test", "--op", "nothing_so"}).err.rfind("devq test: no case matches", 0) == 0);
    CHECK(machine.devq({"list", "cpu,foo"}).err.rfind("devq list: device selector: ", 0) == 0);
    CHECK(machine.devq({"list", "cuda"}).err.rfind("devq list: no device matches \"cuda\"", 0) == 0);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"list", "cpu,foo"},
                                                  {"test", "--device", "cuda"},
                                                  {"test", "--junit", "/nowhere/x"}}) {
        const std::string text = machine.devq(words).err;
        CAPTURE(text);
        CHECK(count_of(text, "devq " + words[0] + ": ") == 1);
        CHECK_FALSE(holds(text, "devq: "));
    }
}

TEST_CASE("3 is for what is not there, 4 for what fails") {
    Machine machine;
    machine.environment["FAKE_opencl"] = "Bad!|AMD|gpu|;Worse!|AMD|gpu|";
    const auto status = [&](const std::string& device) {
        const Result result = machine.devq({"test", "--device", device, "--op", "fill"});
        CAPTURE(device);
        CAPTURE(result.err);
        CHECK(result.out.empty());
        CHECK(result.err.rfind("devq test: open_device: ", 0) == 0);
        return result.status;
    };
    CHECK(status("cuda") == 3);
    CHECK(status("nvidia,cuda:1") == 3);
    CHECK(status("name:none,opencl:9") == 3);
    CHECK(status("cpu,!cpu") == 3);
    CHECK(status("opencl:0") == 4); // is there, and does not open: its own failure
    CHECK(status("gpu") == 4);      // the same of two
    CHECK(status("cuda,gpu") == 4);
    machine.environment["DEVQ_DEVICE"] = "cuda";
    CHECK(machine.devq({"test"}).status == 3);
    machine.environment["DEVQ_DEVICE"] = "gpu";
    CHECK(machine.devq({"test"}).status == 4);
    CHECK(machine.devq({"list", "cuda"}).status == 3);
    CHECK(machine.devq({"info", "cuda"}).status == 3);
    CHECK(machine.devq({"info", "opencl:0"}).status == 4);
    machine.environment["DEVQ_STRICT"] = "1";
    CHECK(status("cuda,cpu") == 3); // cpu is there, but not what was asked for
    CHECK(status("gpu,cpu") == 4);
}

TEST_CASE("DEVQ_STRICT is 0 or 1") {
    Machine machine;
    for (const char* word : {"banana", "2", "-1", "1 ", "yess"}) {
        machine.environment["DEVQ_STRICT"] = word;
        CAPTURE(word);
        const std::string opened = machine.probe("open", "cpu").out; // also where nothing falls back
        CHECK(holds(opened, "open invalid_argument open_device: DEVQ_STRICT is \"" + std::string(word).substr(0, 1)));
        CHECK(holds(opened, "Set it to 1"));
        const Result result = machine.devq({"test", "--device", "cpu"});
        CHECK(result.status == 2);
        CHECK(holds(result.err, "DEVQ_STRICT"));
        CHECK(machine.devq({"list"}).status == 0); // which opens nothing
    }
    for (const char* word : {"", "0", "1", "true", "FALSE", "on", "off", "yes", "no"}) {
        machine.environment["DEVQ_STRICT"] = word;
        CHECK(machine.probe("open", "cpu").out == "open good cpu:0\n");
    }
    for (const char* yes : {"1", "true", "on", "yes"}) {
        machine.environment["DEVQ_STRICT"] = yes;
        CHECK(holds(machine.probe("open", "cuda,cpu").out, "open unavailable"));
    }
}

TEST_CASE("DEVQ_MEMORY_LIMIT and its like set wrong are an error where a device is opened") {
    const std::vector<std::array<const char*, 3>> wrong{
        {"DEVQ_MEMORY_LIMIT", "8GB", "DEVQ_MEMORY_LIMIT is \"8GB\", which is no size"},
        {"DEVQ_MEMORY_LIMIT", "-1", "DEVQ_MEMORY_LIMIT is \"-1\", which is no size"},
        {"DEVQ_MEMORY_LIMIT", "0", "DEVQ_MEMORY_LIMIT is \"0\", which is no size"},
        {"DEVQ_MEMORY_LIMIT", "18446744073709551616", "DEVQ_MEMORY_LIMIT is \"18446744073709551616\", which is no"},
        {"DEVQ_MEMORY_LIMIT", "17179869184G", "DEVQ_MEMORY_LIMIT is \"17179869184G\", which is no size"},
        {"DEVQ_MEMORY_CACHE", "never", "DEVQ_MEMORY_CACHE is \"never\", which is neither 1 nor 0"},
        {"DEVQ_MEMORY_POISON", "2", "DEVQ_MEMORY_POISON is \"2\", which is neither 1 nor 0"},
    };
    for (const auto& row : wrong) {
        const char *name = row[0], *value = row[1], *says = row[2];
        Machine machine;
        machine.environment[name] = value;
        CAPTURE(name);
        CAPTURE(value);
        for (const char* selector : {"cpu", "cuda,cpu"}) { // no device takes the other one's place
            const std::string opened = machine.probe("open", selector).out;
            CHECK(opened.rfind(std::string("open invalid_argument open_device: ") + says, 0) == 0);
            CHECK(holds(opened, "or leave it unset"));
        }
        CHECK(machine.devq({"test", "--device", "cpu"}).status == 2);
        const Result listed = machine.devq({"list"}); // opens nothing, and says so
        CHECK(listed.status == 0);
        CHECK(holds(listed.err, says));
    }
    for (const auto& [name, value] : std::vector<std::array<const char*, 2>>{{"DEVQ_MEMORY_LIMIT", ""},
                                                                             {"DEVQ_MEMORY_LIMIT", "64M"},
                                                                             {"DEVQ_MEMORY_CACHE", "off"},
                                                                             {"DEVQ_MEMORY_POISON", ""}}) {
        Machine machine;
        machine.environment[name] = value;
        const Result opened = machine.probe("open", "cpu");
        CHECK(opened.out == "open good cpu:0\n");
        CHECK(opened.err.empty());
    }
}

TEST_CASE("outputs that are closed or full") {
    const Machine machine;
    for (const char* words : {"--version", "--help", "list", "list --json", "list --help"}) {
        CAPTURE(words);
        const Result full = shell(machine, std::string(words) + " >/dev/full");
        CHECK(full.status == 4);
        CHECK(holds(full.err, "standard output cannot be written"));
        CHECK(shell(machine, std::string(words) + " >&-").status == 4);
        CHECK(shell(machine, std::string(words) + " 2>&-").status == 0);
    }
    for (const char* closed : {" 2>&-", " 2>/dev/full"}) {
        CAPTURE(closed);
        CHECK(shell(machine, std::string("foo") + closed).status == 2);
        CHECK(shell(machine, std::string("list cpu,foo") + closed).status == 2);
        CHECK(shell(machine, std::string("test --seed -1") + closed).status == 2);
        CHECK(shell(machine, std::string("test --mode speed") + closed).status == 2);
        CHECK(shell(machine, std::string("list cuda") + closed).status == 3);
        CHECK(shell(machine, std::string("test --device cuda") + closed).status == 3);
        CHECK(shell(machine, std::string("info cuda") + closed).status == 3);
    }
}

TEST_CASE("virtual devices are listed as such") {
    Machine machine;
    machine.environment["DEVQ_VIRTUAL_DEVICES"] = "cpu=2,opencl=2,cuda=2";
    machine.environment["FAKE_opencl"] = "X|NVIDIA|gpu|0000:41:00.0";
    machine.environment["FAKE_cuda"] = "X|NVIDIA|gpu|0000:41:00.0";
    const Result result = machine.devq({"list", "--json"});
    CHECK(result.status == 0);
    const json devices = json::parse(result.out).at("devices");
    std::string ids;
    for (const json& device : devices)
        ids += device.at("id").get<std::string>() + device.at("also").dump() + ' ';
    // The parts are devices of their own; the two backends still see one GPU.
    CHECK(ids == "cuda:0[\"opencl:0\",\"opencl:1\"] cuda:1[\"opencl:0\",\"opencl:1\"] cpu:0[] cpu:1[] ");
    CHECK(devices.at(3).at("virtual") == json({{"part", 1}, {"parts", 2}}));
    CHECK(devices.at(3).at("memory_bytes") == std::uint64_t{1} << 29);
    const Result text = machine.devq({"list", "cpu"});
    CHECK(holds(text.out, "cpu:0"));
    CHECK(holds(text.out, "virtual: part 2 of 2"));
    CHECK(machine.probe("open", "cpu:1").out == "open good cpu:1\n");
    CHECK(holds(machine.probe("open", "cpu:2").out, "open unavailable"));
    machine.clear_log();
    CHECK(machine.probe("open", "cpu:1").out == "open good cpu:1\n"); // by name: no other backend is loaded
    CHECK(machine.log() == "enumerate cpu\nopen cpu\n");

    machine.environment["DEVQ_VIRTUAL_DEVICES"] = support::unset;
    CHECK(json::parse(machine.devq({"list", "cpu", "--json"}).out).at("devices").at(0).at("virtual").is_null());
    CHECK_FALSE(holds(machine.devq({"list"}).out, "virtual"));

    machine.environment["DEVQ_VIRTUAL_DEVICES"] = "cpu=two";
    for (const char* word : {"list", "info"}) {
        const Result wrong = machine.devq({word});
        CHECK(wrong.status == 2);
        CHECK(holds(wrong.err, "DEVQ_VIRTUAL_DEVICES: a number of devices is expected\n  cpu=two\n      ^\n"));
    }
    CHECK(machine.devq({"test"}).status == 2);
    CHECK(holds(machine.probe("open", "cpu").out, "open invalid_argument DEVQ_VIRTUAL_DEVICES: "));
}

TEST_CASE("a driver that never answers costs its own devices, and no more time than DEVQ_TIMEOUT gives it") {
    Machine machine;
    machine.environment["FAKE_cuda_HANGS"] = "yes";
    machine.environment["DEVQ_TIMEOUT"] = "1";
    const auto start = std::chrono::steady_clock::now();
    const Result listed = machine.devq({"list", "--json"});
    CHECK(listed.status == 0);
    const json document = json::parse(listed.out);
    CHECK(document.at("devices").at(0).at("id") == "cpu:0");
    const json entry = document.at("unavailable").at(0);
    CHECK(entry.at("backend") == "cuda");
    CHECK(entry.at("code") == "crashed");
    CHECK(entry.at("reason") == "its driver gave no answer within 1 s");
    CHECK(machine.devq({"list"}).status == 0);
    CHECK(machine.devq({"list", "cuda"}).status == 3);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    machine.environment["DEVQ_TIMEOUT"] = support::unset;
    CHECK(machine.devq({"list", "cpu"}).status == 0); // asks nothing of the others
}

TEST_CASE("devq info ends though a device never answers, and looks at the others") {
    Machine machine;
    machine.environment["DEVQ_TIMEOUT"] = "1";
    machine.environment["FAKE_opencl"] = "Sleepy?|AMD|gpu|0000:05:00.0;Bad!|AMD|gpu|0000:06:00.0";
    const Result result = machine.devq({"info", "gpu", "--json"});
    CAPTURE(result.err);
    CHECK(result.status == 4);
    const json devices = json::parse(result.out).at("devices");
    REQUIRE(devices.size() == 2);
    CHECK(devices.at(0).at("error") == "the driver gave no answer within 1 s while its driver was asked");
    CHECK(holds(devices.at(1).at("error"), "it does not wake up"));
    const Result text = machine.devq({"info", "gpu"});
    CHECK(text.status == 4);
    CHECK(holds(text.out, "failed: the driver gave no answer"));
    CHECK(holds(text.out, "it does not wake up"));
}

TEST_CASE("a variable of devq's that is set wrong is told once, and is an error with DEVQ_STRICT=1") {
    const std::vector<std::array<const char*, 3>> wrong{
        {"DEVQ_DEVICES", "cpu", "DEVQ_DEVICES is no variable of devq's (did you mean 'DEVQ_DEVICE'?)"},
        {"DEVQ_XYZZY_PLUGH", "", "DEVQ_XYZZY_PLUGH is no variable of devq's: "},
        {"DEVQ_CACHE", "2", "DEVQ_CACHE is \"2\", which is neither 1 nor 0"},
        {"DEVQ_PATH", "fast", "DEVQ_PATH is \"fast\", which is neither portable nor vendor"},
        {"DEVQ_PROBE", "7", "DEVQ_PROBE is \"7\", which is neither 1 nor 0"},
        {"DEVQ_TIMEOUT", "0", "DEVQ_TIMEOUT is \"0\", which is no number of seconds from 1 to 3600"},
        {"DEVQ_TIMEOUT", "soon", "DEVQ_TIMEOUT is \"soon\""},
        {"DEVQ_TIMEOUT", "10s", "DEVQ_TIMEOUT is \"10s\""},
        {"DEVQ_CACHE_DIR", "here", "DEVQ_CACHE_DIR: here is not an absolute path; no built kernel is kept"},
        {"DEVQ_CACHE_DIR", "/proc/nowhere/cache", "DEVQ_CACHE_DIR: /proc/nowhere/cache: "},
        {"DEVQ_CACHE_DIR", "/dev/null", "DEVQ_CACHE_DIR: /dev/null: "},
        {"DEVQ_BACKEND_PATH", "/:modules", "DEVQ_BACKEND_PATH names \"modules\", which is no absolute path"},
        {"DEVQ_BACKEND_PATH", "/dev/null:/", "DEVQ_BACKEND_PATH names \"/dev/null\", which is no folder"},
        {"DEVQ_CUBLASLT", "/none/libcublasLt.so", "DEVQ_CUBLASLT names \"/none/libcublasLt.so\", which is not there"},
        {"DEVQ_CUDNN", "none/libcudnn.so.9", "DEVQ_CUDNN names \"none/libcudnn.so.9\", which is not there"},
    };
    for (const auto& row : wrong) {
        const char *name = row[0], *value = row[1], *says = row[2];
        Machine machine;
        machine.environment[name] = value;
        CAPTURE(name);
        CAPTURE(value);
        const Result listed = machine.devq({"list"});
        CHECK(listed.status == 0);
        CAPTURE(listed.err);
        CHECK(listed.err.rfind(std::string("devq: ") + says, 0) == 0);
        CHECK(std::count(listed.err.begin(), listed.err.end(), '\n') == 1);
        const Result opened = machine.probe("twice", "cpu");
        CHECK(opened.out == "open good cpu:0 same\nagain good cpu:0\n");
        CHECK(opened.err == listed.err);
        machine.environment["DEVQ_STRICT"] = "1";
        const std::string strict = machine.probe("open", "cpu").out;
        CHECK(holds(strict, "open invalid_argument open_device: " + std::string(says).substr(0, 12)));
        CHECK(holds(strict, "DEVQ_STRICT is 1"));
        CHECK(machine.devq({"list"}).status == 0); // the place to find out
        CHECK(machine.devq({"test", "--device", "cpu"}).status == 2);
    }
}

TEST_CASE("variables that are set right, and those of tests, are no matter for a line") {
    const support::Folder cache;
    std::filesystem::permissions(cache.path, std::filesystem::perms::owner_all);
    Machine machine;
    machine.environment.insert({{"DEVQ_DEVICE", "cpu"},
                                {"DEVQ_CACHE", "on"},
                                {"DEVQ_PROBE", "No"},
                                {"DEVQ_TIMEOUT", "3600"},
                                {"DEVQ_BACKEND_PATH", "/:/tmp:"},
                                {"DEVQ_BUILD_DIR", "build"},
                                {"DEVQ_CUBLASLT", "libcublasLt.so.13"}, // the loader's matter
                                {"DEVQ_CUDNN", "/dev/null"},
                                {"DEVQ_TEST_ANYTHING", "1"},
                                {"DEVQ_CACHE_DIR", cache.path.string()}});
    machine.environment["DEVQ_STRICT"] = "1";
    CHECK(machine.devq({"list"}).err.empty());
    CHECK(machine.probe("open", "cpu").out == "open good cpu:0\n");
    machine.environment["DEVQ_CACHE"] = "off"; // then its folder does not matter
    machine.environment["DEVQ_CACHE_DIR"] = "here";
    CHECK(machine.probe("open", "cpu").out == "open good cpu:0\n");
    for (const char* name : {"DEVQ_CACHE", "DEVQ_PROBE", "DEVQ_TIMEOUT", "DEVQ_CACHE_DIR", "DEVQ_BACKEND_PATH"})
        machine.environment[name] = ""; // as good as not set
    CHECK(machine.devq({"list"}).err.empty());
}
