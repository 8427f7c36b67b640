#pragma once
/// What users must hear of that is no error: lines on stderr.

#include <devq/api.hpp>
#include <string>

namespace devq::detail {

/// "devq: TEXT" on stderr, each text once a process: a program that opens devices in a loop is not to flood its log.
/// Any thread.
DEVQ_API void notice(const std::string& text);

/// Others' words for a notice: no line breaks or control characters, no full stop.
DEVQ_API std::string one_line(std::string text);

} // namespace devq::detail
