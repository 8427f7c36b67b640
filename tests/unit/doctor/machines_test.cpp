// A folder is made of each machine of machines/, and `devq doctor --sysroot` must name what is wrong with it: the
// causes in the order in which to mend, with evidence and remedy. Every row of the table has a machine.
#include "../devices/expect.hpp"
#include "../devices/support.hpp"
#include "sysroot.hpp"
#include "tools/doctor/tables.hpp"
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

namespace fs = std::filesystem;
using nlohmann::json;
using support::Result;

namespace {

const fs::path machines_folder = fs::path(DEVQ_SOURCE_ROOT) / "tests/unit/doctor/machines";

Result doctor(const doctor_test::MachineText& machine, const fs::path& root, const doctor_test::Built& built,
              std::vector<std::string> words) {
    words.insert(words.begin(), {(support::build_folder() / "devq").string(), "doctor"});
    if (!machine.area.empty())
        words.push_back(machine.area);
    if (!built.python.empty())
        words.insert(words.end(), {"--python", built.python.string(), "--timeout", "2"});
    words.insert(words.end(), {"--sysroot", root.string()});
    return support::run(words);
}

bool says(const json& document, const std::string& part) {
    for (const json& finding : document.at("findings"))
        for (const char* field : {"what", "evidence", "why", "remedy", "commands", "meanwhile"}) {
            const json& value = finding.at(field);
            if (value.is_string() ? holds(value.get<std::string>(), part)
                                  : std::any_of(value.begin(), value.end(),
                                                [&](const json& line) { return holds(line.get<std::string>(), part); }))
                return true;
        }
    return false;
}

/// The ids, each with its severity where the machine's text says one.
std::vector<std::string> ids_of(const json& document, const std::vector<std::string>& expected) {
    std::vector<std::string> ids;
    for (const json& finding : document.at("findings")) {
        const std::string id = finding.at("id");
        const bool with = ids.size() < expected.size() && holds(expected[ids.size()], ":");
        ids.push_back(id + (with ? ":" + finding.at("severity").get<std::string>() : ""));
    }
    return ids;
}

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += word + ' ';
    return text;
}

} // namespace

TEST_CASE("each machine gets its causes, in order, with evidence and remedy") {
    std::set<std::string> met;
    int count = 0;
    for (const doctor_test::MachineText& machine : doctor_test::read_machines(machines_folder)) {
        if (machine.is_base)
            continue;
        CAPTURE(machine.name);
        ++count;
        const support::Folder folder;
        const doctor_test::Built built = build_machine(machine, folder.path);
        const Result result = doctor(machine, folder.path, built, {"--json"});
        REQUIRE_MESSAGE(json::accept(result.out), result.out, result.err);
        const json document = json::parse(result.out);
        CHECK(listed(ids_of(document, machine.expected)) == listed(machine.expected));
        CHECK(result.status == machine.exit_code);
        CHECK(document.at("prevented") == (machine.exit_code == 1));
        for (const std::string& part : machine.says)
            CHECK_MESSAGE(says(document, part), "nothing says \"", part, "\": ", document.at("findings").dump(1));
        if (!machine.about.empty())
            CHECK(document.at("findings").at(0).at("device") == machine.about);
        for (const json& finding : document.at("findings")) {
            met.insert(finding.at("id").get<std::string>());
            CAPTURE(finding.dump(1));
            for (const char* field : {"what", "why", "remedy", "meanwhile"})
                CHECK_FALSE(finding.at(field).get<std::string>().empty());
            CHECK_FALSE(finding.at("evidence").empty());
        }
        if (!machine.shell.empty()) {
            const Result lines = doctor(machine, folder.path, {}, {"--env"});
            CHECK(lines.status == 0);
            for (const std::string& part : machine.shell)
                CHECK_MESSAGE(holds(lines.out, part), "not in --env: ", part, " but\n", lines.out);
        }
    }
    std::printf("%d machines, %d of %d causes\n", count, static_cast<int>(met.size()),
                static_cast<int>(devq::doctor::cause_count));
    CHECK(count >= 40);
    // Those of the round trip come from devices that run: trial_test.cpp.
    for (const char* id : {"round_trip_failed", "trial_ended", "backend_says", "icd_crashes"})
        met.insert(id);
    for (const devq::doctor::Cause& cause : devq::doctor::causes)
        CHECK_MESSAGE(met.count(std::string(cause.id)) == 1, "no machine has ", cause.id);
}
