#pragma once
/// What the tests of the CUDA backend share. The program runs with the stand-in driver first on the loader's path
/// (main.cpp); its devices: cuda:0 of 8.1 and cuda:1 of 8.0, 64 MiB each, for tests that leave a device as it was; the
/// others, of 9.1, for one test each that does not; cuda:8 of 7.6; the last two, of 9.1, reach each other and stay
/// whole.

#include <cstddef>
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace devq::cuda_test {

inline constexpr const char* standard_devices =
    "8.1,64,0000:41:00;8.0,64,0000:42:00;9.1,64;9.1,64;9.1,64;9.1,64;9.1,64;9.1,64;7.6,64;9.1,64;9.1,64";
inline constexpr const char* lost_by_kernel = "cuda:2";
inline constexpr const char* lost_by_call = "cuda:3";
inline constexpr const char* leak_free = "cuda:4";
inline constexpr const char* lost_in_product = "cuda:5";
inline constexpr const char* lost_before_product = "cuda:6";
inline constexpr const char* lost_before_convolution = "cuda:7";
inline constexpr const char* neighbours[] = {"cuda:9", "cuda:10"};

/// Faults of the stand-in from now on, as its README.md says; gives back the number of calls since the last time.
unsigned long faults(const std::string& list);
struct Faults {
    explicit Faults(const std::string& list) { faults(list); }
    ~Faults() { faults(""); }
};

/// While it is there, `device` has no memory left for any buffer.
class Full {
public:
    explicit Full(Device device);
    ~Full();
    Full(const Full&) = delete;
    Full& operator=(const Full&) = delete;

private:
    Device device_;
    std::vector<Buffer> buffers_;
};

/// False, and one line `skipped: ...`, where there is no NVRTC.
bool have_compiler();

/// Kernel `echo`, which writes its launch and its arguments to the first one.
extern const char* const echo_source;

std::vector<unsigned char> bytes_of(std::size_t count, unsigned seed);
std::vector<unsigned char> contents(const Queue& queue, const Buffer& buffer);

/// Runs `body`, which must throw an Error of `code`; its text.
template <class Body>
std::string error_text(ErrorCode code, Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        CHECK_MESSAGE(error.code() == code, std::string(error.what()));
        return error.what();
    }
    FAIL_CHECK("no error was thrown");
    return {};
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

} // namespace devq::cuda_test
