#include "parser.hpp"
#include "text.hpp"
#include "tokens.hpp"
#include <algorithm>
#include <charconv>
#include <system_error>

namespace devq::frontend {

namespace {

/// One conversion of a format: "%-5.2v4f".
struct Conversion {
    std::string options; ///< flags, width and precision
    std::string length;  ///< hh, h, hl, l or nothing
    unsigned lanes = 1;
    char letter = 'd';
};

/// What the C++ text passes for a value, since only some types may pass through `...`.
std::string cast_of(const Conversion& conversion) {
    switch (conversion.letter) {
    case 'd':
    case 'i':
        return conversion.length == "hh"  ? "(int)(char)"
               : conversion.length == "h" ? "(int)(short)"
               : conversion.length == "l" ? "(long)"
                                          : "(int)";
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return conversion.length == "hh"  ? "(uint)(uchar)"
               : conversion.length == "h" ? "(uint)(ushort)"
               : conversion.length == "l" ? "(ulong)"
                                          : "(uint)";
    case 'c':
        return "(int)";
    case 'p':
        return "(const void*)";
    case 's':
        return "";
    default:
        return "(double)";
    }
}

/// Reads formats; what is wrong with one is in `problem`.
class Format {
public:
    explicit Format(std::string_view text) : text_(text) {
        for (std::size_t i = 0; i < text.size() && problem.empty();) {
            if (text[i] == '\\') {
                i = escape(i);
            } else if (text[i] != '%') {
                written += text[i++];
            } else if (i + 1 < text.size() && text[i + 1] == '%') {
                written += "%%";
                i += 2;
            } else {
                i = conversion(i + 1);
            }
        }
    }

    std::vector<Conversion> conversions;
    std::string written; ///< as C has it: without vectors
    std::string problem;

private:
    /// An escape sequence, as it is; but a '%' written so would be a conversion of C's that nobody has looked at.
    std::size_t escape(std::size_t start) {
        const bool hexadecimal = text_.substr(start, 2) == "\\x";
        const std::size_t digits = start + (hexadecimal ? 2 : 1);
        const std::size_t most = hexadecimal ? text_.size() : std::min(digits + 3, text_.size());
        unsigned value = 0;
        const auto [stop, status] =
            std::from_chars(text_.data() + digits, text_.data() + most, value, hexadecimal ? 16 : 8);
        if (status == std::errc{} && value == 0x25)
            problem = "a '%' of printf's format cannot be an escape sequence";
        const auto end = static_cast<std::size_t>(stop - text_.data());
        const std::size_t next = end > digits ? end : std::min(start + 2, text_.size()); // \n, \" and the like
        written += text_.substr(start, next - start);
        return next;
    }

    std::size_t conversion(std::size_t i) {
        Conversion found;
        const std::size_t start = i - 1;
        const auto take = [&](std::string_view which) {
            while (i < text_.size() && which.find(text_[i]) != std::string_view::npos)
                found.options += text_[i++];
        };
        take("-+ #0");
        take("0123456789");
        take(".");
        take("0123456789");
        if (i < text_.size() && text_[i] == 'v') {
            found.lanes = 0;
            for (++i; i < text_.size() && text_[i] >= '0' && text_[i] <= '9' && found.lanes < 100; ++i)
                found.lanes = found.lanes * 10 + static_cast<unsigned>(text_[i] - '0');
        }
        for (const std::string_view length : {"hh", "hl", "h", "l"})
            if (text_.substr(i, length.size()) == length) {
                found.length = length;
                i += length.size();
                break;
            }
        constexpr std::string_view known = "diouxXfFeEgGaAcsp";
        const bool lanes_known = found.lanes == 1 || found.lanes == 2 || found.lanes == 3 || found.lanes == 4 ||
                                 found.lanes == 8 || found.lanes == 16;
        if (i >= text_.size() || known.find(text_[i]) == std::string_view::npos || !lanes_known) {
            problem = "'" + std::string(text_.substr(start, i + 1 - start)) + "' is no conversion that printf knows";
            return i;
        }
        found.letter = text_[i];
        for (unsigned lane = 0; lane < found.lanes; ++lane)
            written += concat({lane ? ",%" : "%", found.options, cast_of(found).find("long") < 9 ? "l" : "",
                               std::string_view(&found.letter, 1)});
        conversions.push_back(std::move(found));
        return i + 1;
    }

    std::string_view text_;
};

} // namespace

/// printf becomes a function of the work-item, which is given what C's variable arguments can carry: the vectors' lanes
/// one by one. Values are evaluated once.
TypePtr Parser::print_call(std::size_t& i, Tokens& out) {
    const Position at = token(i).at;
    const std::size_t open = i + 1, close = matching(open);
    i = close + 1;
    if (!function_)
        fail(at, "printf cannot be called outside functions");
    std::string text;
    std::size_t next = open + 1;
    for (; next < close && token(next).kind == TokenKind::string; ++next)
        text += token(next).text.substr(1, token(next).text.size() - 2);
    if (next == open + 1)
        fail(at, "printf's format must be a string literal");
    const Format format(text);
    if (!format.problem.empty())
        fail(token(open + 1).at, format.problem);
    append(out, "[&]() {", at);
    std::string values;
    std::size_t count = 0;
    while (next < close) {
        if (!token(next).is(","))
            fail(token(next).at, "expected ',' or ')' before '" + token(next).text + "'");
        const std::size_t begin = next + 1;
        next = std::min(find(begin, ","), close);
        const bool wanted = count < format.conversions.size();
        const bool string = wanted && format.conversions[count].letter == 's';
        const std::string name = concat({"devq_value", std::to_string(count)});
        append(out, concat({string ? "const char* const " : "const auto ", name, "("}), at);
        if (string && (token(begin).kind != TokenKind::string || begin + 1 != next))
            fail(token(begin).at, "what %s prints must be a string literal");
        if (string)
            out.push_back(token(begin));
        else
            rewrite_assignment(begin, next, out);
        append(out, ");", at);
        if (wanted) {
            const Conversion& conversion = format.conversions[count];
            for (unsigned lane = 0; lane < conversion.lanes; ++lane)
                values += concat({", ", cast_of(conversion), name,
                                  conversion.lanes > 1 ? concat({".v[", std::to_string(lane), "]"}) : std::string()});
        }
        ++count;
    }
    if (count != format.conversions.size())
        fail(at, "this printf needs " + std::to_string(format.conversions.size()) + " values after its format, " +
                     std::to_string(count) + " given");
    append(out, concat({"return devq_item.devq_print(\"", format.written, "\"", values, "); }()"}), at);
    return make_scalar(ScalarType::int_);
}

} // namespace devq::frontend
