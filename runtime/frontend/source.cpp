#include "source.hpp"
#include <algorithm>
#include <devq/error.hpp>

namespace devq::frontend {

namespace {

std::string_view line_of(std::string_view text, std::uint32_t line) {
    std::size_t start = 0;
    for (std::uint32_t n = 1; n < line; ++n) {
        const std::size_t end = text.find('\n', start);
        if (end == std::string_view::npos)
            return {};
        start = end + 1;
    }
    std::string_view found = text.substr(start, text.find('\n', start) - start);
    while (!found.empty() && found.back() == '\r')
        found.remove_suffix(1);
    if (found.find('\0') != std::string_view::npos)
        return {}; // an error's text would end there
    return found;
}

/// A word that is as long as a page (a machine's, or nobody's) is shown by its beginning.
std::string shortened(std::string_view message) {
    constexpr std::size_t longest = 120, shown = 60;
    std::string result;
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t end = std::min(message.find_first_of(" \n", at), message.size());
        const std::string_view word = message.substr(at, end - at);
        result += word.substr(0, word.size() > longest ? shown : word.size());
        if (word.size() > longest)
            result += "...'";
        result += message.substr(end, end < message.size() ? 1 : 0);
        at = end + 1;
    }
    return result;
}

} // namespace

std::uint32_t Sources::add(std::string name, std::string text) {
    const auto number = static_cast<std::uint32_t>(files_.size());
    files_.push_back({std::move(name), std::move(text), number});
    return number;
}

std::uint32_t Sources::add_part(std::uint32_t file, std::string name, std::uint32_t shift) {
    if (const File& last = files_.back(); last.whole == file && last.shift == shift && last.name == name)
        return static_cast<std::uint32_t>(files_.size() - 1);
    files_.push_back({std::move(name), {}, file, shift});
    return static_cast<std::uint32_t>(files_.size() - 1);
}

Position Sources::position(std::uint32_t file, std::size_t offset) const {
    const std::string_view before = text(file).substr(0, offset);
    const auto lines = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
    return {file, lines + 1, static_cast<std::uint32_t>(offset - (before.rfind('\n') + 1) + 1)};
}

std::string Sources::describe(Position at, std::string_view message) const {
    if (at.line == 0 || at.file >= files_.size())
        return "error: " + std::string(message);
    std::string text = files_[at.file].name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                       ": error: " + shortened(message);
    const std::string_view line = line_of(files_[whole(at.file)].text, at.line - files_[at.file].shift);
    constexpr std::size_t widest = 200; // a longer line is machine-made: showing it helps nobody
    if (!line.empty() && line.size() <= widest) {
        text += "\n    " + std::string(line) + "\n    ";
        for (std::size_t i = 0; i + 1 < at.column && i < line.size(); ++i)
            text += line[i] == '\t' ? '\t' : ' ';
        text += '^';
    }
    return text;
}

void Sources::fail(Position at, std::string_view message, std::string advice) const {
    if (advice.empty())
        advice = "Correct the kernel's source at the place shown.";
    throw Error(ErrorCode::build_failed, {}, "\n" + describe(at, message) + "\n", std::move(advice));
}

} // namespace devq::frontend
