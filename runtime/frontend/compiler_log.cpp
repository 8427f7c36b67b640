#include "frontend.hpp"
#include <array>
#include <set>
#include <vector>

namespace devq::frontend {

namespace {

using Text = std::string_view;

void replace_all(std::string& text, Text from, Text to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// "vec<float, 4>" is float4; "vec<unsigned int, 4>" is uint4.
void name_vectors(std::string& text) {
    constexpr std::array<std::pair<Text, Text>, 7> names{{{"unsigned char", "uchar"},
                                                          {"unsigned short", "ushort"},
                                                          {"short unsigned int", "ushort"},
                                                          {"unsigned int", "uint"},
                                                          {"unsigned long", "ulong"},
                                                          {"long unsigned int", "ulong"},
                                                          {"long int", "long"}}};
    for (std::size_t at = text.find("vec<"); at != std::string::npos; at = text.find("vec<", at + 1)) {
        const std::size_t comma = text.find(',', at), close = text.find('>', at);
        if (comma == std::string::npos || close == std::string::npos || close < comma)
            continue;
        if (text.compare(comma, 6, ",[...]") == 0 ||
            text.compare(comma, 7, ", [...]") == 0) { // as compilers abridge it
            text.replace(at, close + 1 - at, "vector of " + text.substr(at + 4, comma - at - 4));
            continue;
        }
        std::string element = text.substr(at + 4, comma - at - 4);
        for (const auto& [from, to] : names)
            if (element == from)
                element = to;
        const std::size_t digit = text.find_first_of("0123456789", comma);
        if (digit == std::string::npos || digit > close)
            continue;
        element += text.substr(digit, text.find_first_not_of("0123456789", digit) - digit);
        text.replace(at, close + 1 - at, element);
    }
}

/// "float4 {aka float4}" says float4 twice.
void drop_echoes(std::string& text) {
    for (const auto& [open, close] :
         {std::pair<Text, Text>{" {aka ‘", "’}"}, {" (aka '", "')"}, {" (aka \"", "\")"}, {" {aka ", "}"}})
        for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
            const std::size_t end = text.find(close, at);
            if (end == std::string::npos)
                break;
            text.erase(at, end + close.size() - at);
        }
}

bool is_internal(Text line) {
    for (const Text file : {"devq/host_", "devq/common_", "devq/cuda_", "devq/entries.hpp", "devq/generated.hpp"})
        if (line.substr(0, file.size()) == file)
            return true;
    return false;
}

/// "FILE:LINE", "FILE(LINE)" or "In file included from": the start of a message, unlike a shown line of source.
bool starts_message(Text line) {
    if (line.empty() || line[0] == ' ' || line[0] == '\t')
        return false;
    for (std::size_t i = 1; i + 1 < line.size(); ++i)
        if ((line[i] == ':' || line[i] == '(') && line[i + 1] >= '0' && line[i + 1] <= '9')
            return true;
    return false;
}

bool says_nothing(Text line) {
    for (const Text words : {"In instantiation of", "required from", "In member function", "in instantiation of",
                             "generated.", "[-fpermissive]", "error detected in the compilation", "errors detected in"})
        if (line.find(words) != Text::npos)
            return words != "[-fpermissive]";
    return false;
}

} // namespace

std::string explain_compiler_log(std::string_view log) {
    std::string result;
    bool keep = false;
    std::set<std::string, std::less<>> seen; // a template's fault is told again for each use of it
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        const Text line = log.substr(at, end - at);
        at = end + 1;
        if (starts_message(line))
            keep = !is_internal(line) && !says_nothing(line) && seen.emplace(line).second;
        else if (says_nothing(line))
            continue;
        if (!keep)
            continue;
        result.append(line);
        result += '\n';
    }
    if (result.find("error") == std::string::npos)
        result.assign(log);
    for (const Text ours :
         {"devq_code::", "{anonymous}::", "(anonymous namespace)::", "devq_item.", "devq_here.", "<unnamed>::"})
        replace_all(result, ours, "");
    for (const Text type : {"devq_wide_item", "devq_small_item", "devq_single_item"}) {
        replace_all(result, std::string("devq_program<") + std::string(type) + ">::", "");
        replace_all(result, std::string(" [with devq_item_type = ") + std::string(type) + "]", "");
    }
    name_vectors(result);
    drop_echoes(result);
    return result;
}

} // namespace devq::frontend
