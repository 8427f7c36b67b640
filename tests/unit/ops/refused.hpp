#pragma once
/// For tests of what operations check about their arguments.

#include "fake_device.hpp"
#include <devq/error.hpp>
#include <devq/tensor.hpp>
#include <doctest/doctest.h>
#include <functional>
#include <initializer_list>
#include <string>

namespace ops_test {

/// Refused as the caller's mistake, by the operation's name, with a text that has `words`; nothing is launched.
inline void refused(Fake& made, const char* operation, std::initializer_list<const char*> words,
                    const std::function<void()>& call) {
    const std::size_t before = made.log->launches.size();
    try {
        call();
        FAIL_CHECK(operation, ": no error");
    } catch (const devq::Error& error) {
        const std::string text = error.what();
        CAPTURE(text);
        CHECK(error.code() == devq::ErrorCode::invalid_argument);
        CHECK(error.operation() == operation);
        CHECK(!error.advice().empty());
        for (const char* word : words) {
            CAPTURE(word);
            CHECK(text.find(word) != std::string::npos);
        }
    }
    CHECK(made.log->launches.size() == before);
}

struct World {
    Fake made = fake("opencl-cpu", 16, 4096);
    const devq::Queue& queue = made.queue;
    devq::Tensor tensor(devq::DType type, const devq::Dims& sizes) const {
        return devq::Tensor(made.device, type, sizes);
    }
    devq::Tensor f32(const devq::Dims& sizes) const { return tensor(devq::DType::f32, sizes); }
    devq::Tensor i32(const devq::Dims& sizes) const { return tensor(devq::DType::i32, sizes); }
};

} // namespace ops_test
