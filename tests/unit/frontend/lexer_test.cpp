#include "frontend/constant.hpp"
#include "frontend/lexer.hpp"
#include "support.hpp"
#include <devq/error.hpp>
#include <doctest/doctest.h>

using namespace devq::frontend;

namespace {

std::string texts(std::string_view source) {
    std::string result;
    for (const Token& token : lex(source, Position{0, 1, 1}))
        result += (result.empty() ? "" : " ") + token.text;
    return result;
}

std::optional<Constant> value_of(std::string_view source) {
    const Tokens tokens = lex(source, Position{0, 1, 1});
    return evaluate(tokens, [](std::span<const Token>) { return std::nullopt; }).value;
}

} // namespace

TEST_CASE("lexer: the longest token wins") {
    CHECK(texts("a<<=b>>c->d...e##f") == "a <<= b >> c -> d ... e ## f");
    CHECK(texts("x+++y") == "x ++ + y");
    CHECK(texts("1.5e-3f+0x1p-4+.5") == "1.5e-3f + 0x1p-4 + .5");
    CHECK(texts("0xE+1") == "0xE + 1"); // no exponent in hexadecimal without p
    CHECK(texts("'a' '\\'' \"s\\\"t\"") == "'a' '\\'' \"s\\\"t\"");
    CHECK(texts("a/* b */c// d\ne") == "a c e");
}

TEST_CASE("lexer: positions, splices and lines") {
    Sources sources;
    sources.add("k.cl", "int a;\n  fl\\\noat b; // x \\\n still a comment\r\nc");
    const Tokens tokens = lex(sources, 0);
    REQUIRE(tokens.size() == 7);
    CHECK(tokens[3].text == "float");
    CHECK(tokens[3].at.line == 2);
    CHECK(tokens[3].at.column == 3);
    CHECK(tokens[3].starts_line);
    CHECK(tokens[4].text == "b");
    CHECK(tokens[4].at.line == 3);
    CHECK(tokens[4].at.column == 5);
    CHECK_FALSE(tokens[4].starts_line);
    CHECK(tokens[6].text == "c");
    CHECK(tokens[6].at.line == 5);
}

TEST_CASE("lexer: what is no token stays stray") {
    const Tokens tokens = lex("a @ 'b", Position{0, 1, 1});
    REQUIRE(tokens.size() == 3);
    CHECK(tokens[1].kind == TokenKind::stray);
    CHECK(tokens[2].kind == TokenKind::stray);
    CHECK(test::error_of("void f(void) { int a = 1 @ 2; }").find("1:26: error: stray '@'") != std::string::npos);
    CHECK(test::error_of("/* abc").find("1:1: error: this comment is never closed") != std::string::npos);
}

TEST_CASE("constants: C's rules") {
    const auto number = [](std::string_view source) {
        return value_of(source).value_or(Constant{0xbad, false}).value();
    };
    CHECK(number("1 + 2 * 3 - 4 / 2") == 5);
    CHECK(number("(1 << 4) | 3 ^ 1 & 7") == ((1 << 4) | (3 ^ (1 & 7))));
    CHECK(number("1 ? 2 : 0 ? 3 : 4") == 2);
    CHECK(number("0 && 1 / 0") == 0);
    CHECK(number("1 || 1 % 0") == 1);
    CHECK(number("-1 < 0u") == 0); // compared as unsigned
    CHECK(number("-7 / 2") == -3);
    CHECK(number("-8 >> 1") == -4);
    CHECK(number("0x7fffffffffffffff + 0") == 0x7fffffffffffffff);
    CHECK(number("18446744073709551615u") == -1);
    CHECK(number("'a' + '\\n' + '\\x10' + '\\0'") == 97 + 10 + 16);
    CHECK(number("'\\xff' == -1 && '\\377' == -1 && '\\x7f' == 127") == 1);
    CHECK_FALSE(value_of("'\\x100'"));
    CHECK_FALSE(value_of("'\\x'"));
    CHECK(number("~0 + !5 + !!5") == 0);
    CHECK(number("010 + 0b11") == 11);
    CHECK_FALSE(value_of("1 / 0"));
    CHECK_FALSE(value_of("18446744073709551616"));
    CHECK_FALSE(value_of("1.0"));
    CHECK_FALSE(value_of("1 +"));
    CHECK_FALSE(value_of("(1"));
    CHECK_FALSE(value_of(std::string(100000, '(') + "1")); // too deep, but no crash
}
