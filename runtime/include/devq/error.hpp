#pragma once
#include <devq/api.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace devq {

enum class ErrorCode {
    invalid_argument, ///< the caller's mistake; nothing was queued
    out_of_memory,    ///< the device or the budget is full; recoverable
    device_lost,      ///< the device is gone until the process ends; other devices go on
    build_failed,     ///< a kernel does not compile; the log names the user's lines
    unsupported,      ///< valid, but this device or build cannot do it
    unavailable,      ///< no such device, or its driver or library cannot be used
};

/// "invalid_argument", "out_of_memory", ...
DEVQ_API std::string_view to_string(ErrorCode code) noexcept;

/// The one exception type of devq. `what()` is one readable text made of all the parts below:
/// "OPERATION: PROBLEM (NATIVE_CALL returned NATIVE_CODE). ADVICE".
class DEVQ_API Error : public std::runtime_error {
public:
    /// @param operation what the caller asked for, e.g. "matmul" or "Queue::copy"
    /// @param problem   what is wrong, with the values that are wrong
    /// @param advice    what to do about it, as a full sentence
    Error(ErrorCode code, std::string operation, const std::string& problem, std::string advice,
          std::string native_call = {}, long native_code = 0);
    ~Error() override;

    ErrorCode code() const noexcept { return code_; }
    const std::string& operation() const noexcept { return operation_; }
    const std::string& advice() const noexcept { return advice_; }
    /// The driver or library call that failed, empty where none was involved.
    const std::string& native_call() const noexcept { return native_call_; }
    long native_code() const noexcept { return native_code_; }

    /// The same failure, said to be of `operation`; one that names its operation already is kept as it is.
    Error named(std::string operation) const;

private:
    struct Renamed {};
    Error(Renamed, const Error& other, std::string operation);

    ErrorCode code_;
    std::string operation_, advice_, native_call_;
    long native_code_;
};

} // namespace devq
