#include <devq/error.hpp>

namespace devq {

std::string_view to_string(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::invalid_argument:
        return "invalid_argument";
    case ErrorCode::out_of_memory:
        return "out_of_memory";
    case ErrorCode::device_lost:
        return "device_lost";
    case ErrorCode::build_failed:
        return "build_failed";
    case ErrorCode::unsupported:
        return "unsupported";
    case ErrorCode::unavailable:
        return "unavailable";
    }
    return "unknown";
}

static std::string sentence(const std::string& operation, const std::string& problem, const std::string& advice,
                            const std::string& native_call, long native_code) {
    std::string text = operation.empty() ? problem : operation + ": " + problem;
    if (!native_call.empty())
        text += " (" + native_call + " returned " + std::to_string(native_code) + ")";
    if (!text.empty() && text.back() != '.' && text.back() != '\n')
        text += '.';
    if (!advice.empty())
        text += (text.empty() || text.back() == '\n' ? "" : " ") + advice;
    return text;
}

Error::Error(ErrorCode code, std::string operation, const std::string& problem, std::string advice,
             std::string native_call, long native_code)
    : std::runtime_error(sentence(operation, problem, advice, native_call, native_code)), code_(code),
      operation_(std::move(operation)), advice_(std::move(advice)), native_call_(std::move(native_call)),
      native_code_(native_code) {}

Error::Error(Renamed, const Error& other, std::string operation)
    : std::runtime_error(operation + ": " + other.what()), code_(other.code_), operation_(std::move(operation)),
      advice_(other.advice_), native_call_(other.native_call_), native_code_(other.native_code_) {}

Error Error::named(std::string operation) const {
    return operation_.empty() && !operation.empty() ? Error(Renamed{}, *this, std::move(operation)) : *this;
}

Error::~Error() = default; // here, so that the type's run-time information lives in this library alone

} // namespace devq
