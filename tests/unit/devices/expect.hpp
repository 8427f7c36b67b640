#pragma once
#include <devq/error.hpp>
#include <doctest/doctest.h>
#include <string>

/// The devq::Error that `call` must throw with `code`; its text, to look into. A doctest failure otherwise.
template <class Call>
std::string thrown(devq::ErrorCode code, Call&& call) {
    try {
        call();
    } catch (const devq::Error& error) {
        CHECK(devq::to_string(error.code()) == devq::to_string(code));
        CHECK_FALSE(error.operation().empty());
        CHECK_FALSE(error.advice().empty());
        return error.what();
    }
    FAIL("nothing was thrown");
    return {};
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
