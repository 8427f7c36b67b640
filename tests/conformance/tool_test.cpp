// `devq test` as a process: what docs/cli.md promises of it.
#include <array>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

fs::path build_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

struct Outcome {
    int status;
    std::string out, err;
};

std::string contents(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Runs `devq test ARGUMENTS` (shell words).
Outcome devq_test(const std::string& arguments) {
    const fs::path base = build_folder() / fmt::format("tool-test-{}", getpid());
    const std::string out = base.string() + ".out", err = base.string() + ".err";
    const int status = std::system(fmt::format("env -u DEVQ_DEVICE '{}' test {} >'{}' 2>'{}'",
                                               (build_folder() / "devq").string(), arguments, out, err)
                                       .c_str());
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
    fs::remove(out);
    fs::remove(err);
    return outcome;
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

} // namespace

TEST_CASE("devq test prints its counts as the last line and ends with 0 when all is good") {
    const Outcome outcome = devq_test("--device cpu:0 --op fill --dtype bf16 --seed 5");
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(last_line(outcome.out) == "16 passed, 0 failed, 0 skipped");
    CHECK(outcome.out.find("seed 5\n") != std::string::npos);
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);)
        CHECK_MESSAGE(line.size() <= 80, line);
}

TEST_CASE("devq test --json: one document with the promised fields, nothing else") {
    const Outcome outcome = devq_test("--device cpu:0 --op 'matmul' --dtype f16 --quick --json --seed 9");
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    const json document = json::parse(outcome.out);
    CHECK(document.at("device") == "cpu:0");
    CHECK(document.at("seed") == 9);
    CHECK(document.at("failed") == 0);
    CHECK(document.at("skipped") == 0);
    CHECK(document.at("passed") == document.at("cases").size());
    std::set<std::string> names;
    bool worst_seen = false;
    for (const json& entry : document.at("cases")) {
        CHECK(entry.at("op") == "matmul");
        CHECK(entry.at("dtype") == "f16");
        CHECK(names.insert(entry.at("shape")).second);
        CHECK((entry.at("path") == "portable" || entry.at("path") == "none"));
        CHECK(entry.at("status") == "passed");
        CHECK((entry.at("nmse").is_number() || entry.at("nmse").is_null()));
        CHECK(entry.at("reason").is_null());
        if (const json& worst = entry.at("worst"); !worst.is_null()) {
            worst_seen = true;
            CHECK(worst.at("index").is_number_integer());
            if (worst.at("error").is_null() || worst.at("limit").is_null()) // NaN and infinity
                CHECK(worst.at("reference").is_null());
            else
                CHECK(worst.at("error").get<double>() <= worst.at("limit").get<double>());
        }
    }
    CHECK(worst_seen);
}

TEST_CASE("the same seed gives the same numbers, another one others") {
    const std::string arguments = "--device cpu:0 --op exp --dtype f32 --shape 1009 --json --seed ";
    const auto worst = [&](const char* seed) {
        return json::parse(devq_test(arguments + seed).out).at("cases").at(0).at("worst");
    };
    const json first = worst("1");
    CHECK(first == worst("1"));
    CHECK(first != worst("2"));
}

TEST_CASE("devq test --junit writes a file that names every case") {
    const fs::path file = build_folder() / fmt::format("tool-test-{}.xml", getpid());
    const Outcome outcome = devq_test(fmt::format("--device cpu:0 --op sgd --junit '{}'", file.string()));
    CHECK(outcome.status == 0);
    const std::string text = contents(file);
    fs::remove(file);
    std::size_t cases = 0;
    for (std::size_t at = 0; (at = text.find("<testcase ", at)) != std::string::npos; ++at)
        ++cases;
    CHECK(last_line(outcome.out) == fmt::format("{} passed, 0 failed, 0 skipped", cases));
    CHECK(text.starts_with("<?xml"));
    CHECK(last_line(text) == "</testsuite></testsuites>");
}

TEST_CASE("wrong usage is 2, no device 3; both say what would be right") {
    for (const char* const mode : {"perf"}) {
        const Outcome outcome = devq_test(fmt::format("--mode {}", mode));
        CHECK(outcome.status == 2);
        CHECK(outcome.err.find("comes in a later version") != std::string::npos);
        CHECK(outcome.out.empty());
    }
    CHECK(devq_test("--mode nonsense").status == 2);
    CHECK(devq_test("--bogus").status == 2);
    CHECK(devq_test("--seed abc").status == 2);
    const Outcome none = devq_test("--op no_such_operation");
    CHECK(none.status == 2);
    CHECK(none.err.find("softmax_cross_entropy") != std::string::npos); // the list of what there is
    CHECK(devq_test("--junit /nonexistent/folder/file.xml").status == 2);
    const Outcome malformed = devq_test("--device 'cpu:'");
    CHECK(malformed.status == 2);
    CHECK(malformed.err.find('^') != std::string::npos);
    CHECK(devq_test("--device 'name:no such device'").status == 3);
}
