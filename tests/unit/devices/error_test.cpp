#include <devq/error.hpp>
#include <doctest/doctest.h>
#include <string>

using devq::Error;
using devq::ErrorCode;

TEST_CASE("an error's text holds operation, problem, native call and advice") {
    const Error error(ErrorCode::out_of_memory, "Device::allocate", "64 bytes do not fit", "Free a buffer.",
                      "clCreateBuffer", -4);
    CHECK(std::string(error.what()) ==
          "Device::allocate: 64 bytes do not fit (clCreateBuffer returned -4). Free a buffer.");
    CHECK(error.code() == ErrorCode::out_of_memory);
    CHECK(error.operation() == "Device::allocate");
    CHECK(error.advice() == "Free a buffer.");
    CHECK(error.native_call() == "clCreateBuffer");
    CHECK(error.native_code() == -4);
}

TEST_CASE("parts that are absent leave no trace in the text") {
    CHECK(std::string(Error(ErrorCode::unsupported, {}, "no f64", {}).what()) == "no f64.");
    CHECK(std::string(Error(ErrorCode::unsupported, "cast", "no f64", {}).what()) == "cast: no f64.");
    CHECK(std::string(Error(ErrorCode::unsupported, "cast", "no f64.", "Use f32.").what()) == "cast: no f64. Use f32.");
    // a log that ends its own line is followed by the advice alone
    CHECK(std::string(Error(ErrorCode::build_failed, "build", "k.cl:1: bad\n", "Mend it.").what()) ==
          "build: k.cl:1: bad\nMend it.");
    CHECK(std::string(Error(ErrorCode::unsupported, {}, {}, "Use f32.").what()).find("Use f32.") != std::string::npos);
}

TEST_CASE("an error without an operation can be named once") {
    const Error anonymous(ErrorCode::device_lost, {}, "it fell off the bus", "Restart.", "cuStreamSynchronize", 719);
    const Error named = anonymous.named("Queue::wait");
    CHECK(named.operation() == "Queue::wait");
    CHECK(std::string(named.what()) == "Queue::wait: it fell off the bus (cuStreamSynchronize returned 719). Restart.");
    CHECK(named.code() == ErrorCode::device_lost);
    CHECK(named.native_call() == "cuStreamSynchronize");
    CHECK(named.native_code() == 719);
    CHECK(named.advice() == "Restart.");
    CHECK(std::string(named.named("matmul").what()) == named.what());
    CHECK(std::string(anonymous.named("").what()) == anonymous.what());
}

TEST_CASE("codes have names") {
    CHECK(to_string(ErrorCode::invalid_argument) == "invalid_argument");
    CHECK(to_string(ErrorCode::out_of_memory) == "out_of_memory");
    CHECK(to_string(ErrorCode::device_lost) == "device_lost");
    CHECK(to_string(ErrorCode::build_failed) == "build_failed");
    CHECK(to_string(ErrorCode::unsupported) == "unsupported");
    CHECK(to_string(ErrorCode::unavailable) == "unavailable");
}
