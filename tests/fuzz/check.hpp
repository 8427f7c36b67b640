#pragma once
/// For fuzz targets: what must hold of every input.

#include <cstdio>
#include <cstdlib>
#include <string>

namespace devq::fuzz {

/// Ends the process, as libFuzzer expects of a target that has found something.
inline void expect(bool holds, const std::string& what) {
    if (holds)
        return;
    std::fprintf(stderr, "FAILED: %s\n", what.c_str());
    std::abort();
}

} // namespace devq::fuzz
