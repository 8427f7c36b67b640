#include "builtins.hpp"
#include "parser.hpp"
#include <algorithm>

namespace devq::frontend {

namespace {

std::optional<Space> space_word(std::string_view word) {
    if (word == "__global" || word == "global")
        return Space::global;
    if (word == "__local" || word == "local")
        return Space::local;
    if (word == "__constant" || word == "constant")
        return Space::constant;
    if (word == "__private" || word == "private")
        return Space::value;
    return std::nullopt;
}

bool is_qualifier(std::string_view word) {
    return word == "const" || word == "volatile" || word == "restrict" || word == "__restrict" ||
           word == "__restrict__" || word == "__const" || space_word(word).has_value();
}

bool is_storage(std::string_view word) {
    return word == "typedef" || word == "static" || word == "extern" || word == "inline" || word == "__inline" ||
           word == "__inline__" || word == "register" || word == "auto" || word == "kernel" || word == "__kernel";
}

bool is_scalar_word(std::string_view word) {
    return word == "unsigned" || word == "signed" || word == "char" || word == "short" || word == "int" ||
           word == "long" || word == "float" || word == "double";
}

} // namespace

bool Parser::starts_type(std::size_t index) const {
    const Token& word = token(index);
    if (!word.is_identifier())
        return false;
    if (const Symbol* symbol = lookup(word.text))
        return symbol->kind == Symbol::Kind::type;
    return is_qualifier(word.text) || is_storage(word.text) || is_scalar_word(word.text) || word.is("struct") ||
           word.is("union") || word.is("enum") || word.is("__attribute__") || builtin_type(word.text);
}

void Parser::qualifiers(Type& type, bool& any) {
    any = false;
    while (now().is_identifier() && is_qualifier(now().text)) {
        const std::string& word = now().text;
        if (const auto space = space_word(word)) {
            if (type.space != Space::value && type.space != *space)
                fail(now().at, "'" + word + "': another kind of memory has been named before");
            type.space = *space;
        } else if (word == "const" || word == "__const")
            type.is_const = true;
        else if (word == "volatile")
            type.is_volatile = true;
        else
            type.is_restrict = true;
        any = true;
        ++at_;
    }
}

Parser::Specifiers Parser::specifiers() {
    Specifiers result;
    result.at = now().at;
    Type with;
    std::vector<std::string> words;
    for (;;) {
        const Token& word = now();
        bool any = false;
        qualifiers(with, any);
        if (any)
            continue;
        if (word.is("__attribute__")) {
            attributes(result.attributes);
        } else if (word.is_identifier() && is_storage(word.text)) {
            result.is_typedef |= word.is("typedef");
            result.is_static |= word.is("static");
            result.is_extern |= word.is("extern");
            result.is_kernel |= word.is("kernel") || word.is("__kernel");
            ++at_;
        } else if (word.is("struct") || word.is("union")) {
            result.type = record_specifier();
        } else if (word.is("enum")) {
            result.type = enumeration_specifier();
        } else if (word.is_identifier() && is_scalar_word(word.text) && !result.type) {
            words.push_back(word.text);
            ++at_;
        } else if (word.is_identifier() && !result.type && words.empty()) {
            const Symbol* symbol = lookup(word.text);
            const TypePtr type = symbol && symbol->kind == Symbol::Kind::type ? symbol->type
                                 : symbol                                     ? nullptr
                                                                              : builtin_type(word.text);
            if (!type) {
                if (const std::string_view reason = unsupported_reason(word.text); !reason.empty())
                    fail(word.at, std::string(reason));
                if (symbol)
                    fail(word.at, "'" + word.text + "' is not a type");
                if (at_ > 0 && token(at_ - 1).is("auto"))
                    fail(token(at_ - 1).at, "'auto' chooses no type in C; write the type of '" + word.text + "'");
                std::vector<std::string> types = names_in_scope(true);
                for (const std::string_view known :
                     {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half",
                      "void", "size_t", "float4", "int4", "uint4"})
                    types.emplace_back(known);
                fail(word.at, "unknown type name '" + word.text + "'" + nearest(word.text, types));
            }
            result.type = type;
            ++at_;
        } else {
            break;
        }
    }
    if (!words.empty())
        result.type = scalar_words(words, result.at);
    if (!result.type)
        fail(now().at, at_ < tokens_.size() ? "expected a type before '" + now().text + "'"
                                            : "the program ends within a declaration");
    result.type = qualified(result.type, with);
    return result;
}

TypePtr Parser::scalar_words(std::vector<std::string>& words, Position at) {
    const auto take = [&](std::string_view word) {
        const auto count = std::count(words.begin(), words.end(), word);
        std::erase(words, word);
        return count;
    };
    const auto unsigneds = take("unsigned"), signeds = take("signed"), longs = take("long"), shorts = take("short"),
               ints = take("int"), chars = take("char"), floats = take("float"), doubles = take("double");
    const bool is_unsigned = unsigneds == 1;
    const bool integer = floats + doubles == 0 && unsigneds + signeds <= 1 && ints <= 1;
    const auto pick = [&](ScalarType s, ScalarType u) { return make_scalar(is_unsigned ? u : s); };
    if (integer && longs > 0 && longs <= 2 && shorts + chars == 0)
        return pick(ScalarType::long_, ScalarType::ulong);
    if (integer && shorts == 1 && longs + chars == 0)
        return pick(ScalarType::short_, ScalarType::ushort);
    if (integer && chars == 1 && longs + shorts + ints == 0)
        return pick(ScalarType::char_, ScalarType::uchar);
    if (integer && longs + shorts + chars == 0)
        return pick(ScalarType::int_, ScalarType::uint);
    if (floats + doubles == 1 && unsigneds + signeds + longs + shorts + ints + chars == 0)
        return make_scalar(floats ? ScalarType::float_ : ScalarType::double_);
    fail(at, "these words together make no type");
}

} // namespace devq::frontend
