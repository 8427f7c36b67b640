#pragma once
/// Text for people: 80 columns, colours on a terminal only; and JSON for programs.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace devq::tools {

inline constexpr std::size_t page_width = 80;

enum class Style { plain, bold, faint, good, bad, warning };

/// True where stdout is a terminal that takes colours and NO_COLOR is unset.
bool colours();
/// `text` in `style` where colours() holds.
std::string styled(std::string_view text, Style style);

/// Columns that UTF-8 text takes.
std::size_t columns(std::string_view text);
/// Padded, or cut with an ellipsis, to exactly `width` columns.
std::string fitted(std::string_view text, std::size_t width);
/// Driver's text made safe for a terminal: control characters become spaces, broken UTF-8 '?'.
std::string clean(std::string_view text);
/// Words broken over lines of at most page_width columns, each led by `indent` spaces and ended by a newline. A word
/// that is too long for a line keeps one to itself.
std::string wrapped(std::string_view text, std::size_t indent);
/// "23.4 GiB"
std::string bytes_text(std::uint64_t bytes);

/// To stdout. A reader that has gone away (`devq list | head -1`) is not a failure; any other one is thrown.
void print(std::string_view text);
/// Null for a text that there is none of.
nlohmann::ordered_json text_or_null(const std::string& text);
/// One document, indented, with a newline; NaN and infinity become null, broken UTF-8 a replacement character.
void print_json(const nlohmann::ordered_json& document);
/// Hands on what stdout still holds.
void finish_output();

} // namespace devq::tools
