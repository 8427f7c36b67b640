// Wrong programs: each message names file, line and column, says what a person needs, and is the same on every device.
//
//     // error: LINE:COLUMN: TEXT       the message's place in this file and its beginning
//     // advice: TEXT                   what to do, where the message says it
#include "corpus.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <sstream>

using namespace devq;

namespace {

constexpr std::size_t least_files = 50;

std::vector<std::string> said_in(const std::string& text, const std::string& word) {
    std::vector<std::string> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("// " + word + ": "))
            result.push_back(line.substr(word.size() + 5));
    return result;
}

} // namespace

TEST_CASE("corpus: wrong programs get the message that a person needs, the same on every device") {
    const auto files = corpus::files_in("wrong");
    CHECK(files.size() >= least_files);
    std::vector<Device> devices;
    if (const char* chosen = std::getenv("CORPUS_DEVICE"))
        devices.push_back(open_device(chosen));
    else
        for (const DeviceInfo& device : list_devices().devices)
            devices.push_back(open_device(device.id));
    for (const std::filesystem::path& path : files) {
        const std::string name = path.filename(), text = corpus::text_of(path);
        CAPTURE(name);
        const std::vector<std::string> errors = said_in(text, "error"), advice = said_in(text, "advice");
        REQUIRE(errors.size() == 1);
        const std::size_t at = errors[0].find(": ");
        REQUIRE(at != errors[0].npos);
        const std::string expected = name + ":" + errors[0].substr(0, at) + ": error: " + errors[0].substr(at + 2);
        for (const Device& device : devices) {
            CAPTURE(device.info().id);
            std::string said = "nothing: it was built";
            try {
                device.build_file(path);
            } catch (const Error& error) {
                CHECK(error.code() == ErrorCode::build_failed);
                said = error.what();
            }
            CHECK_MESSAGE(said.find(expected) != said.npos, "expected: " << expected << "\nsaid: " << said);
            for (const std::string& each : advice)
                CHECK_MESSAGE(said.find(each) != said.npos, "expected: " << each << "\nsaid: " << said);
        }
    }
}
