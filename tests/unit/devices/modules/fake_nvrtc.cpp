// Stands for NVRTC, as far as enumeration calls it: version FAKE_NVRTC (12040 unless set), architectures from
// FAKE_NVRTC_FIRST (75) on.
#include "../../../../backends/cuda/abi_nvrtc.hpp"
#include <cstdlib>
#include <devq/api.hpp>

static int number(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::atoi(value) : otherwise;
}

#define DEVQ_FAKE(signature)                                                                                           \
    extern "C" DEVQ_API int signature;                                                                                 \
    extern "C" int signature

DEVQ_FAKE(nvrtcVersion(int* major, int* minor)) {
    const int version = number("FAKE_NVRTC", 12040);
    *major = version / 1000;
    *minor = version % 1000 / 10;
    return 0;
}
DEVQ_FAKE(nvrtcGetNumSupportedArchs(int* count)) { return *count = 2, 0; }
DEVQ_FAKE(nvrtcGetSupportedArchs(int* list)) {
    list[0] = number("FAKE_NVRTC_FIRST", 75);
    list[1] = list[0] + 5;
    return 0;
}

// The rest is there, and is not called.
#define nvrtcVersion nvrtcVersion_rest
#define nvrtcGetNumSupportedArchs nvrtcGetNumSupportedArchs_rest
#define nvrtcGetSupportedArchs nvrtcGetSupportedArchs_rest
#define DEVQ_FAKE_REST(name, symbol, older, ...)                                                                       \
    DEVQ_FAKE(symbol()) { return 11; }
DEVQ_NVRTC_SYMBOLS(DEVQ_FAKE_REST)
