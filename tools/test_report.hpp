#pragma once
/// How `devq test` shows what came of its cases: text, JSON, JUnit's XML.

#include "conformance/suite.hpp"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace devq::tools {

struct Tally {
    std::size_t passed = 0, failed = 0, skipped = 0;
    void count(conformance::Status status);
    std::string text() const; ///< "1 passed, 0 failed, 0 skipped"
};

/// A run of the suite on a device.
struct TestRun {
    std::string device; ///< its id
    std::string again;  ///< a selector that takes the same device
    std::uint64_t seed = 0;
    std::vector<conformance::Result> results;
    std::vector<conformance::Result> smallest; ///< failure of each operation and type that failed
    Tally tally;
};

void print_failure(const TestRun& run, const conformance::Result& result);
/// Mode support: runs, shows; the exit code.
int test_support(const Queue& queue, const conformance::Filter& filter, TestRun& run, bool json,
                 const std::string& junit);

/// A row an operation and type, the smallest failures, and the counts.
void print_summary(const TestRun& run);
nlohmann::ordered_json as_json(const TestRun& run);

nlohmann::ordered_json as_json(const conformance::Result& result);

/// Throws WrongUsage: before the tests run, not after.
void require_writable(const std::string& junit);
/// Throws where the file cannot be written.
void write_junit(const std::string& path, const TestRun& run);

} // namespace devq::tools
