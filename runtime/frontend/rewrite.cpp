#include "builtins.hpp"
#include "parser.hpp"
#include "text.hpp"
#include "tokens.hpp"
#include <map>

namespace devq::frontend {

namespace {

bool is_binary_operator(const Token& token) {
    constexpr std::string_view known = " + - * / % << >> < > <= >= == != & | ^ && || , ";
    return token.kind == TokenKind::punctuation &&
           (is_assignment(token) || known.find(" " + token.text + " ") != std::string_view::npos);
}

bool is_prefix_operator(const Token& token) {
    return token.is("+") || token.is("-") || token.is("!") || token.is("~") || token.is("++") || token.is("--") ||
           token.is("*") || token.is("&");
}

/// What C computes with where two scalars meet.
TypePtr arithmetic(const Type& a, const Type& b) {
    const auto has = [&](ScalarType scalar) { return a.scalar == scalar || b.scalar == scalar; };
    for (const ScalarType wider : {ScalarType::double_, ScalarType::float_, ScalarType::half, ScalarType::ulong,
                                   ScalarType::long_, ScalarType::uint})
        if (has(wider))
            return make_scalar(wider);
    return make_scalar(ScalarType::int_);
}

/// The type of a binary operation, as far as that can be told.
TypePtr combined(const TypePtr& a, const TypePtr& b) {
    if (a && is_vector(*a))
        return a;
    if (b && is_vector(*b))
        return b;
    if (!a || !b)
        return nullptr;
    const auto is_address = [](const Type& type) {
        return type.kind == Type::Kind::pointer || type.kind == Type::Kind::array;
    };
    if (is_address(*a) != is_address(*b))
        return is_address(*a) ? a : b;
    if (a->kind == Type::Kind::scalar && b->kind == Type::Kind::scalar)
        return arithmetic(*a, *b);
    return is_address(*a) ? make_scalar(ScalarType::long_) : a;
}

/// The type of a choice between two values.
TypePtr either(const TypePtr& yes, const TypePtr& no) {
    if (yes && no && yes->element && no->element) // arrays become pointers
        return yes->kind == Type::Kind::pointer ? yes : make_pointer(yes->element);
    return combined(yes, no);
}

/// The type of an array's element or of a record's member; null where there is none.
TypePtr part_of(const TypePtr& type, std::size_t place) {
    if (type && type->kind == Type::Kind::array)
        return type->element;
    const bool is_member = type && type->kind == Type::Kind::record && place < type->record->fields.size();
    return is_member ? type->record->fields[place].type : nullptr;
}

TypePtr number_type(const Token& token) {
    const std::string& text = token.text;
    const bool hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    if (const std::optional<Constant> value = integer_literal(text)) {
        const bool is_unsigned = text.find_first_of("uU") != std::string::npos;
        const bool fits = text.find_first_of("lL") == std::string::npos;
        const bool may_be_unsigned = is_unsigned || text[0] == '0'; // hexadecimal and octal ones become so
        if (fits && !is_unsigned && value->bits <= 0x7fffffffu)
            return make_scalar(ScalarType::int_);
        if (fits && may_be_unsigned && value->bits <= 0xffffffffu)
            return make_scalar(ScalarType::uint);
        return make_scalar(is_unsigned || value->value() < 0 ? ScalarType::ulong : ScalarType::long_);
    }
    const bool floating =
        text.find('.') != std::string::npos || text.find_first_of(hexadecimal ? "pP" : "eE") != std::string::npos;
    if (!floating)
        return nullptr;
    const std::size_t digits =
        text.find_first_not_of(hexadecimal ? "0123456789abcdefABCDEFxX.pP+-" : "0123456789.eE+-");
    const std::string suffix = digits == std::string::npos ? "" : text.substr(digits);
    if (suffix.empty())
        return make_scalar(text.back() == 'f' && hexadecimal ? ScalarType::float_ : ScalarType::double_);
    return suffix == "f" || suffix == "F" ? make_scalar(ScalarType::float_) : nullptr;
}

} // namespace

/// A whole expression with its commas.
TypePtr Parser::rewrite(std::size_t begin, std::size_t end, Tokens& out) {
    const Nested nested(*this, token(begin).at);
    TypePtr type;
    for (std::size_t i = begin;;) {
        const std::size_t comma = std::min(find(i, ","), end);
        type = rewrite_assignment(i, comma, out);
        if (comma >= end)
            return type;
        out.push_back(token(comma));
        i = comma + 1;
    }
}

/// An expression without commas outside brackets. C's `?:` becomes DEVQ_SELECT where its condition may be a vector.
TypePtr Parser::rewrite_assignment(std::size_t begin, std::size_t end, Tokens& out) {
    const Nested nested(*this, token(begin).at);
    std::size_t question = begin, condition = begin;
    for (; question < end && !token(question).is("?"); ++question) {
        if (is_assignment(token(question)))
            condition = question + 1;
        if (match_[question] > question)
            question = match_[question];
    }
    if (question >= end)
        return rewrite_operands(begin, end, out, false);
    std::size_t colon = question + 1;
    for (unsigned open = 1; colon < end; ++colon) {
        open += token(colon).is("?") ? 1 : 0;
        if (token(colon).is(":") && --open == 0)
            break;
        if (match_[colon] > colon)
            colon = match_[colon];
    }
    if (colon >= end)
        fail(token(question).at, "'?' has no ':'");
    if (condition > begin)
        rewrite_operands(begin, condition, out, true);
    Tokens chooser;
    const TypePtr chooser_type = rewrite_operands(condition, question, chooser, false);
    const bool select = !chooser_type || is_vector(*chooser_type);
    const Position at = token(question).at;
    const auto group = [&](std::string_view before, std::string_view after) {
        append(out, before, at);
        return [&out, after, at] { append(out, after, at); };
    };
    if (select)
        append(out, "DEVQ_SELECT(", at);
    const auto close_condition = group(select ? "(" : "", select ? ")," : "?");
    out.insert(out.end(), chooser.begin(), chooser.end());
    close_condition();
    const auto close_yes = group(select ? "(" : "", select ? ")," : ":");
    const TypePtr yes = rewrite(question + 1, colon, out);
    close_yes();
    const auto close_no = group(select ? "(" : "", select ? "))" : "");
    const TypePtr no = rewrite_assignment(colon + 1, end, out);
    close_no();
    const TypePtr chosen = either(yes, no);
    return chooser_type && is_vector(*chooser_type) && !chosen ? chooser_type : chosen;
}

/// Operands joined by operators. @param open_ended an operator ends it (its right side is rewritten apart)
TypePtr Parser::rewrite_operands(std::size_t begin, std::size_t end, Tokens& out, bool open_ended) {
    std::size_t i = begin, last = begin;
    TypePtr type = operand(i, end, out), left = type;
    TypePtr stored_to, stored; // the last pointer that is assigned, and what of
    std::size_t stored_at = 0;
    while (i < end) {
        const Token& op = token(i);
        if (!is_binary_operator(op))
            unexpected(i);
        if (is_assignment(op))
            check_written(left, op);
        shift(i, out);
        ++i;
        const std::size_t place = out.size(), start = i;
        if (open_ended && i == end) {
            guard_division(op, out, place);
            return type;
        }
        const TypePtr right = operand(i, end, out);
        const auto is_sure = [this](std::size_t at) { // of OpenCL's constants only that they are scalars
            return has_known_type(at) && !is_builtin_constant(token(at).text);
        };
        const TypePtr known = is_sure(start) ? right : nullptr;
        check_operands(op, is_sure(last) ? left : nullptr, known);
        if (op.is("=") && i == end && left && known)
            check_value(*left, *known, token(start).at);
        if (!divides_safely(op, start, i, end, right))
            guard_division(op, out, place);
        if (!is_assignment(op))
            type = combined(type, right);
        if (op.is("=")) {
            stored_to = left;
            stored = right;
            stored_at = place;
        } else {
            stored = combined(stored, right);
        }
        left = right;
        last = start;
    }
    cast_pointer(stored_to, stored, out, stored_at, token(begin).at);
    return type && !is_vector(*type) && is_truth(begin, end) ? make_scalar(ScalarType::int_) : type;
}

/// A token where an operator should be. On a new line it is rather the line before that was not ended.
void Parser::unexpected(std::size_t i) const {
    if (!token(i).starts_line)
        fail(token(i).at, "'" + token(i).text + "' was not expected here");
    const Token& last = token(i - 1);
    Position place = last.at;
    place.column += static_cast<std::uint32_t>(last.text.size());
    fail(place, "expected ';' or an operator after '" + last.text + "'");
}

/// C++ leaves shifts by more than the width undefined, where OpenCL takes the count modulo the width: counts that are
/// no small literal go through DEVQ_SHIFT (a << DEVQ_SHIFT << b keeps the precedence).
void Parser::shift(std::size_t i, Tokens& out) const {
    const Token& op = token(i);
    out.push_back(op);
    const bool is_shift = op.is("<<") || op.is(">>") || op.is("<<=") || op.is(">>=");
    if (!is_shift)
        return;
    if (const auto count = integer_literal(token(i + 1).text); count && count->bits < 32) {
        constexpr std::string_view binds_tighter = "*/%+-";
        const std::string& next = token(i + 2).text;
        if (next.size() != 1 || binds_tighter.find(next[0]) == std::string_view::npos)
            return;
    }
    append(out, "DEVQ_SHIFT", op.at);
    out.push_back(op);
}

/// Integer division by zero, or of the least number by -1, ends a process on most processors: divisors that may be such
/// go through DEVQ_DIVIDE (a / DEVQ_DIVIDE / b keeps the precedence), which the preludes define.
void Parser::guard_division(const Token& op, Tokens& out, std::size_t place) const {
    if (!op.is("/") && !op.is("%") && !op.is("/=") && !op.is("%="))
        return;
    Tokens guard;
    append(guard, "DEVQ_DIVIDE", op.at);
    guard.push_back(op);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(place), guard.begin(), guard.end());
}

/// Is the operand of [begin, after), which `op` divides by, floating, a vector, or a constant that is neither 0 nor -1?
bool Parser::divides_safely(const Token& op, std::size_t begin, std::size_t after, std::size_t end,
                            const TypePtr& type) {
    if (measuring_)
        return true; // within sizeof nothing is computed; looking twice at each level would take for ever
    if (is_assignment(op) && after != end)
        return false; // the divisor is a longer expression
    if (is_prefix_operator(token(begin)))
        return false;
    if (has_known_type(begin) && type &&
        (is_vector(*type) || (type->kind == Type::Kind::scalar && is_floating(type->scalar))))
        return true;
    const std::optional<Constant> value = constant(begin, after);
    return value && value->bits != 0 && value->value() != -1;
}

/// One operand with its prefix and postfix operators.
TypePtr Parser::operand(std::size_t& i, std::size_t end, Tokens& out) {
    if (i >= end)
        fail(token(i).at.line ? token(i).at : token(i - 1).at,
             i < tokens_.size() ? "expected an operand before '" + token(i).text + "'" : "an operand is missing");
    const Token& first = token(i);
    const Nested nested(*this, first.at);
    if (is_prefix_operator(first)) {
        out.push_back(first);
        ++i;
        const TypePtr type = operand(i, end, out);
        if (!type)
            return nullptr;
        if (first.is("*")) {
            if (type->kind != Type::Kind::pointer && type->kind != Type::Kind::array)
                fail(first.at, "'*' needs a pointer, this is '" + describe(*type) + "'");
            return type->element;
        }
        if (first.is("!") && !is_vector(*type))
            return make_scalar(ScalarType::int_);
        return first.is("&") ? make_pointer(type) : type;
    }
    if (first.is("sizeof"))
        return size_expression(i, end, out);
    if (first.is("("))
        return parenthesis(i, end, out);
    const TypePtr type = primary(i, end, out);
    return postfix(type, i, end, out);
}

/// A cast, a vector literal, a compound literal, or an expression in parentheses.
TypePtr Parser::parenthesis(std::size_t& i, std::size_t end, Tokens& out) {
    const Position at = token(i).at;
    const std::size_t close = matching(i);
    if (!starts_type(i + 1)) {
        if (close == i + 1)
            fail(at, "expected an expression between '(' and ')'");
        out.push_back(token(i));
        const TypePtr type = rewrite(i + 1, close, out);
        out.push_back(token(close));
        i = close + 1;
        return postfix(type, i, end, out);
    }
    std::size_t after = i + 1;
    const TypePtr type = type_name(after);
    if (after != close)
        fail(token(after).at, "'" + token(after).text + "' was not expected in a type");
    i = close + 1;
    const bool has_braces = token(i).is("{");
    const bool has_values = token(i).is("(") && is_vector(*type) && !starts_type(i + 1); // not (int2)(int)x
    if (i < end && (has_braces || has_values)) {
        const std::size_t open = i;
        i = matching(open) + 1;
        return postfix(literal(type, open, out), i, end, out);
    }
    append(out, concat({"(", declare(*type, {}, false), ")"}), at);
    operand(i, end, out);
    return type;
}

/// (float4)(…), (float4){…} or (struct s){…}; `open` is the second bracket.
TypePtr Parser::literal(const TypePtr& type, std::size_t open, Tokens& out) {
    const Position at = token(open).at;
    if (is_vector(*type)) {
        append(out, concat({"devq_make<", declare(*type, {}, false), ">("}), at);
        if (matching(open) == open + 1)
            fail(at, "a vector needs values");
        components(*type, open, out);
        append(out, ")", at);
        return type;
    }
    if (type->kind == Type::Kind::array)
        fail(at, "arrays cannot be written as values; declare a variable");
    constexpr std::size_t large = 1024; // smaller ones are not worth counting
    if (function_ && !measuring_ && size_of(*type).value_or(0) >= large) {
        Variable literal;
        literal.name = concat({"(", describe(*type), "){...}"});
        literal.type = type;
        literal.at = at;
        function_->literals.push_back(std::move(literal));
    }
    append(out, concat({"devq_type<", declare(*type, {}, false), ">"}), at);
    braces(open, type, out);
    return type;
}

/// What stands between the brackets of a vector literal: as many components as the vector has, or one for all of them.
void Parser::components(const Type& vector, std::size_t open, Tokens& out) {
    const std::size_t close = matching(open);
    unsigned given = 0;
    bool known = true, single = true;
    for (std::size_t i = open + 1; i < close;) {
        const std::size_t comma = std::min(find(i, ","), close);
        const TypePtr type = rewrite_assignment(i, comma, out);
        known = known && type && (is_vector(*type) || type->kind == Type::Kind::scalar);
        given += type && is_vector(*type) ? type->lanes : 1;
        single = single && i == open + 1 && comma == close && !(type && is_vector(*type));
        if (comma < close)
            out.push_back(token(comma));
        i = comma + 1;
    }
    if (known && !single && given != vector.lanes)
        fail(token(open).at, "'" + describe(vector) + "' takes " + std::to_string(vector.lanes) +
                                 " components, or one for all; these are " + std::to_string(given));
}

/// {1, {2, 3}, .member = 4, [5] = 6}: an initialiser's values. Where some are named or numbered, all are written in the
/// order of what they initialise: C++ has no `[5] =`, and `.member =` in that order at best, which NVRTC refuses.
void Parser::braces(std::size_t open, const TypePtr& type, Tokens& out) {
    const Nested nested(*this, token(open).at);
    const std::size_t close = matching(open);
    bool numbered = false;
    std::size_t place = 0;
    std::map<std::size_t, Tokens> values;
    out.push_back(token(open));
    for (std::size_t i = open + 1; i < close;) {
        const std::size_t comma = std::min(find(i, ","), close);
        Tokens value;
        if (token(i).is(".") && token(i + 1).is_identifier() && token(i + 2).is("=")) {
            place = member_number(type, i);
            if (place > 0 && type->record->is_union)
                fail(token(i).at, "only the first member of a union can be initialised",
                     "Assign '" + token(i + 1).text + "' after the declaration.");
            numbered = true;
            i += 3;
        } else if (token(i).is("[")) {
            place = element_number(i);
            numbered = true;
        }
        const bool one_each = type && type->kind == Type::Kind::array && type->count &&
                              type->element->kind != Type::Kind::array && type->element->kind != Type::Kind::record;
        if (one_each && comma > i && place >= *type->count)
            fail(token(i).at, "too many values for an array of " + std::to_string(*type->count));
        if (token(i).is("{"))
            braces(i, part_of(type, place), value);
        else if (comma > i)
            rewrite_assignment(i, comma, value);
        else
            unexpected(i);
        values[place++] = std::move(value);
        i = comma + 1;
    }
    std::size_t next = 0;
    for (auto& [number, value] : values) {
        for (; numbered && next < number; ++next)
            append(out, next ? ", {}" : "{}", token(open).at);
        if (next++ > 0)
            append(out, ",", value[0].at);
        out.insert(out.end(), value.begin(), value.end());
    }
    out.push_back(token(close));
}

/// Which member `.name =` at token i names.
std::size_t Parser::member_number(const TypePtr& type, std::size_t i) const {
    const Token& name = token(i + 1);
    if (!type || type->kind != Type::Kind::record)
        fail(token(i).at, "'." + name.text + " =' needs a struct or union" +
                              (type ? ", this initialises '" + describe(*type) + "'" : std::string()));
    const std::vector<Field>& fields = type->record->fields;
    for (std::size_t n = 0; n < fields.size(); ++n)
        if (fields[n].name == name.text)
            return n;
    if (!find_member(*type->record, name.text).empty())
        fail(name.at, "'" + name.text + "' lies in an unnamed member, which cannot be initialised by name",
             "Write the unnamed member's values in braces, or assign '" + name.text + "' after the declaration.");
    fail(name.at, "'" + describe(*type) + "' has no member '" + name.text + "'");
}

/// `[n] =` at token i, which is then the one behind it.
std::size_t Parser::element_number(std::size_t& i) {
    const Position at = token(i).at;
    const std::size_t close = matching(i);
    const Constant number = required_constant(i + 1, close, "the number of an element");
    constexpr std::int64_t most = 100000; // each one before it is written out
    if (number.value() < 0 || number.value() > most)
        fail(at, "an element cannot have the number " + std::to_string(number.value()) + " here");
    if (!token(close + 1).is("="))
        fail(token(close + 1).at, "expected '=' after '[" + std::to_string(number.value()) + "]'");
    i = close + 2;
    return static_cast<std::size_t>(number.value());
}

TypePtr Parser::size_expression(std::size_t& i, std::size_t end, Tokens& out) {
    const Position at = token(i).at;
    if (token(i + 1).is("(") && starts_type(i + 2)) {
        std::size_t after = i + 2;
        const TypePtr type = type_name(after);
        if (after != matching(i + 1))
            fail(token(after).at, "'" + token(after).text + "' was not expected in a type");
        if (!size_of(*type))
            fail(at, "the size of '" + describe(*type) + "' is unknown");
        append(out, concat({"sizeof(", declare(*type, {}, false), ")"}), at);
        i = after + 1;
    } else {
        out.push_back(token(i++));
        const std::size_t begin = i, start = out.size();
        const TypePtr type = operand(i, end, out);
        as_int(begin, i, type, out, start);
    }
    return make_scalar(ScalarType::ulong);
}

TypePtr Parser::primary(std::size_t& i, std::size_t end, Tokens& out) {
    const Token& word = token(i);
    if (word.kind == TokenKind::number) {
        const TypePtr type = number_type(word);
        if (!type)
            fail(word.at, "'" + word.text + "' is not a number that OpenCL C knows");
        out.push_back(word);
        ++i;
        return type;
    }
    if (word.kind == TokenKind::character) { // of type int; in C++ it would be char
        out.push_back(word);
        out.back().kind = TokenKind::number;
        out.back().text = std::to_string(static_cast<int>(required_constant(i, i + 1, "a character").bits));
        ++i;
        return make_scalar(ScalarType::int_);
    }
    if (word.kind == TokenKind::string)
        fail(word.at, "strings are not supported but in printf and as what an array of characters begins with");
    if (!word.is_identifier())
        fail(word.at, "expected an operand before '" + word.text + "'");
    if (i + 1 < end && token(i + 1).is("("))
        return call(i, out);
    const Symbol* symbol = lookup(word.text);
    if (!symbol && is_builtin_constant(word.text)) {
        out.push_back(word);
        if (word.is("NULL"))
            out.back().text.assign(1, '0');
        ++i;
        return word.is("NULL") ? nullptr : make_scalar(ScalarType::float_);
    }
    if (!symbol && (word.is("true") || word.is("false"))) {
        append(out, word.is("true") ? "1" : "0", word.at);
        ++i;
        return make_scalar(ScalarType::int_);
    }
    if (!symbol) {
        if (const std::string_view reason = unsupported_reason(word.text); !reason.empty())
            fail(word.at, std::string(reason));
        if (starts_type(i))
            fail(word.at, "'" + word.text + "' is a type and has no value");
        fail(word.at, "'" + word.text + "' is not declared" + suggestion(word.text, names_in_scope(false)));
    }
    if (symbol->kind == Symbol::Kind::type)
        fail(word.at, "'" + word.text + "' is a type and has no value");
    if (symbol->kind == Symbol::Kind::function)
        fail(word.at, "'" + word.text + "' is a function; function pointers are not supported",
             "Choose between functions with a switch.");
    ++i;
    Token replaced = word;
    if (symbol->kind == Symbol::Kind::enumerator) {
        replaced.kind = TokenKind::number;
        replaced.text = std::to_string(symbol->value->value());
        if (symbol->value->value() < 0)
            replaced.text = concat({"(", replaced.text, ")"});
    } else {
        replaced.text = symbol->cpp_name;
    }
    out.push_back(std::move(replaced));
    return symbol->type;
}

TypePtr Parser::postfix(TypePtr type, std::size_t& i, std::size_t end, Tokens& out) {
    while (i < end) {
        const Token& op = token(i);
        if (op.is("[")) {
            const std::size_t close = matching(i);
            if (close == i + 1)
                fail(op.at, "an index is missing between '[' and ']'");
            if (type && type->kind != Type::Kind::pointer && type->kind != Type::Kind::array)
                fail(op.at, "'[' needs an array or a pointer, this is '" + describe(*type) + "'",
                     is_vector(*type) ? "Components of a vector are .s0, .s1, ..." : "");
            out.push_back(op);
            index(type, i + 1, close, out);
            out.push_back(token(close));
            type = type ? type->element : nullptr;
            i = close + 1;
        } else if (op.is(".") || op.is("->")) {
            type = member(std::move(type), i, end, out);
        } else if (op.is("++") || op.is("--")) {
            out.push_back(op);
            ++i;
        } else if (op.is("(")) {
            fail(op.at, "only functions can be called");
        } else {
            break;
        }
    }
    return type;
}

} // namespace devq::frontend
