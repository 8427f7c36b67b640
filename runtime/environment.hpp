#pragma once
/// What devq's environment variables say, and what is wrong with them. runtime/variables.hpp has their table.

#include <devq/api.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace devq::detail {

/// The variable's value; empty where it is not set, which means the same everywhere.
DEVQ_API std::string_view environment(const char* name);

/// 1, true, yes, on; 0, false, no, off, whatever their case. Nothing for any other word, the empty one too.
DEVQ_API std::optional<bool> yes_or_no(std::string_view word);
/// A yes-or-no variable, `otherwise` where it is not set or neither (check_environment() tells of that).
DEVQ_API bool flag(const char* name, bool otherwise);

struct WrongVariable {
    std::string problem, advice;
};

/// Each of devq's variables that is set to what it cannot be, and each DEVQ_ name that is none of devq's. Those that
/// are an error where they are used (DEVQ_DEVICE, DEVQ_VIRTUAL_DEVICES, DEVQ_CXX, ...) are left to that.
std::vector<WrongVariable> wrong_variables();

/// What wrong_variables() found at the first call of the process, which says each in a notice.
const std::vector<WrongVariable>& check_environment();

} // namespace devq::detail
