#include "output.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace devq::tools {

namespace {

bool set(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

void check_output(bool good) {
    if (!good && errno != EPIPE)
        throw std::runtime_error(std::string("standard output cannot be written: ") + std::strerror(errno));
}

/// Length of the UTF-8 sequence that starts `text`; 0 when it is broken.
std::size_t sequence(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u)
            return 0;
    return length;
}

} // namespace

bool colours() {
    static const bool wanted = [] {
        const char* terminal = std::getenv("TERM");
        return isatty(STDOUT_FILENO) != 0 && !set("NO_COLOR") && terminal != nullptr &&
               std::strcmp(terminal, "dumb") != 0;
    }();
    return wanted;
}

std::string styled(std::string_view text, Style style) {
    constexpr const char* codes[] = {"", "1", "2", "32", "31", "33"};
    if (style == Style::plain || !colours())
        return std::string(text);
    return fmt::format("\033[{}m{}\033[0m", codes[static_cast<int>(style)], text);
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text)
        count += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u ? 1 : 0;
    return count;
}

std::string clean(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = sequence(text);
        const auto lead = static_cast<unsigned char>(text[0]);
        if (length == 0)
            result += '?';
        else if (lead < 0x20 || lead == 0x7f || (lead == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0))
            result += ' ';
        else
            result += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

std::string fitted(std::string_view text, std::size_t width) {
    std::string result = clean(text);
    if (columns(result) <= width)
        return result + std::string(width - columns(result), ' ');
    while (columns(result) > width - 1) { // from the end, a whole character at a time
        while ((static_cast<unsigned char>(result.back()) & 0xc0u) == 0x80u)
            result.pop_back();
        result.pop_back();
    }
    return result + "…";
}

std::string wrapped(std::string_view text, std::size_t indent) {
    const std::string safe = clean(text);
    const std::string lead(indent, ' ');
    std::string result, line;
    for (std::size_t at = 0; at < safe.size();) {
        const std::size_t begin = safe.find_first_not_of(' ', at);
        if (begin == std::string::npos)
            break;
        const std::size_t end = std::min(safe.find(' ', begin), safe.size());
        const std::string_view word = std::string_view(safe).substr(begin, end - begin);
        if (!line.empty() && indent + columns(line) + 1 + columns(word) > page_width) {
            result += lead + line + '\n';
            line.clear();
        }
        if (!line.empty())
            line += ' ';
        line += word;
        at = end;
    }
    return line.empty() ? result : result + lead + line + '\n';
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1023.95 && unit + 1 < std::size(units); ++unit) // what would round to 1024.0 is the next unit
        value /= 1024;
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

void print(std::string_view text) { check_output(std::fwrite(text.data(), 1, text.size(), stdout) == text.size()); }

nlohmann::ordered_json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

void print_json(const nlohmann::ordered_json& document) {
    print(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void finish_output() { check_output(std::fflush(stdout) == 0); }

} // namespace devq::tools
