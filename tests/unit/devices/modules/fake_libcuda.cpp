// Stands for NVIDIA's driver library, as far as enumeration calls it; whatever comes after answers as the toolkit's
// stub library does. FAKE_CUINIT is what cuInit returns, FAKE_CUCOUNT the number of devices. With LACKS_NAME or
// LACKS_ALLOC one function is missing; with STUB every function answers so.
#include "../../../../backends/cuda/abi.hpp"
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <devq/api.hpp>

#ifndef STUB
static int number(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::atoi(value) : otherwise;
}
#endif

#define DEVQ_FAKE(signature)                                                                                           \
    extern "C" DEVQ_API int signature;                                                                                 \
    extern "C" int signature

#ifndef STUB
DEVQ_FAKE(cuInit(unsigned)) { return number("FAKE_CUINIT", 0); }
DEVQ_FAKE(cuDriverGetVersion(int* version)) { return *version = 12040, 0; }
DEVQ_FAKE(cuDeviceGetCount(int* count)) { return *count = number("FAKE_CUCOUNT", 1), 0; }
DEVQ_FAKE(cuDeviceGet(int* device, int index)) { return *device = index, index < number("FAKE_CUCOUNT", 1) ? 0 : 101; }
#ifndef LACKS_NAME
DEVQ_FAKE(cuDeviceGetName(char* name, int size, int)) { return std::strncpy(name, "Fake GPU", std::size_t(size)), 0; }
#endif
DEVQ_FAKE(cuDeviceTotalMem_v2(std::size_t* bytes, int)) { return *bytes = std::size_t{8} << 30, 0; }
DEVQ_FAKE(cuDeviceGetAttribute(int* value, int attribute, int device)) {
    switch (attribute) {
    case 16:
        *value = 132;
        break;
    case 33:
        *value = 0x41 + device;
        break;
    case 34:
    case 50:
        *value = 0;
        break;
    case 75:
        *value = 9;
        break;
    case 76:
        *value = 1;
        break;
    default:
        return 1;
    }
    return 0;
}

#endif

#ifdef LACKS_ALLOC
#define cuMemAlloc_v2 cuMemAlloc // what it was called before
#endif
#ifdef __clang__ // UndefinedBehaviorSanitizer would ask for each function's own parameters
#define DEVQ_ANY_PARAMETERS __attribute__((no_sanitize("function")))
#else
#define DEVQ_ANY_PARAMETERS
#endif
#define DEVQ_FAKE_REST(name, symbol, older, ...)                                                                       \
    extern "C" DEVQ_API DEVQ_ANY_PARAMETERS int symbol();                                                              \
    extern "C" int symbol() { return 34; }
DEVQ_CUDA_WORKING_SYMBOLS(DEVQ_FAKE_REST)
#ifdef STUB
DEVQ_CUDA_LISTING_SYMBOLS(DEVQ_FAKE_REST)
#endif
