#include "builtins.hpp"
#include "parser.hpp"

namespace devq::frontend {

Parser::Declarator Parser::declarator(TypePtr base, bool need_name) {
    const Nested nested(*this, now().at);
    if (is("&"))
        fail(now().at, "references are of C++, kernels are OpenCL C; use a pointer");
    if (is("(") && token(at_ + 1).is("^"))
        fail(now().at, "blocks are not supported; use a function");
    while (accept("*")) {
        Type with;
        bool any = false;
        qualifiers(with, any);
        base = qualified(make_pointer(std::move(base)), with);
        check_depth(*base, now().at);
    }
    Declarator result;
    result.at = now().at;
    const bool inner = is("(") && (token(at_ + 1).is("*") || token(at_ + 1).is("(") ||
                                   (token(at_ + 1).is_identifier() && !starts_type(at_ + 1)));
    if (inner) {
        const std::size_t open = at_, close = matching(at_);
        at_ = close + 1;
        base = suffixes(std::move(base), nullptr);
        const std::size_t end = at_;
        at_ = open + 1;
        result = declarator(std::move(base), need_name);
        if (at_ != close)
            fail(now().at, "'" + now().text + "' was not expected in this declaration");
        at_ = end;
        return result;
    }
    if (now().is_identifier() && !is("__attribute__"))
        result.name = token(at_++).text;
    else if (need_name)
        fail(now().at, at_ < tokens_.size() ? "expected a name before '" + now().text + "'"
                                            : "the program ends within a declaration");
    result.type = suffixes(std::move(base), &result);
    return result;
}

TypePtr Parser::suffixes(TypePtr base, Declarator* function) {
    const Position at = now().at;
    if (is("(")) {
        if (!function || base->kind == Type::Kind::array)
            fail(at, "function pointers are not supported", "Choose between functions with a switch.");
        function->is_function = true;
        function->parameters = parameters();
        return base;
    }
    if (!is("["))
        return base;
    const Nested nested(*this, at);
    const std::size_t close = matching(at_);
    std::optional<std::size_t> count;
    if (close > at_ + 1) {
        const Constant size = required_constant(at_ + 1, close, "the size of an array");
        if (size.value() < 0 || size.value() > (std::int64_t{1} << 40))
            fail(at, "an array cannot have " + std::to_string(size.value()) + " elements");
        count = static_cast<std::size_t>(size.bits);
    }
    at_ = close + 1;
    const TypePtr element = suffixes(std::move(base), nullptr);
    const std::size_t bytes = size_of(*element).value_or(0);
    if (count && bytes > 0 && *count > most_object_bytes / bytes)
        fail(at, "this array is larger than any memory");
    return make_array(element, count);
}

std::vector<Variable> Parser::parameters() {
    std::vector<Variable> result;
    const std::size_t close = matching(at_);
    ++at_;
    if (is("void") && at_ + 1 == close)
        at_ = close;
    while (at_ < close) {
        if (is("..."))
            fail(now().at, "variable numbers of arguments are not supported");
        const Specifiers base = specifiers();
        Declarator declared = declarator(base.type, false);
        if (declared.is_function)
            fail(declared.at, "function pointers are not supported", "Choose between functions with a switch.");
        if (declared.type->kind == Type::Kind::array)
            declared.type = make_pointer(declared.type->element);
        if (declared.type->kind == Type::Kind::void_)
            fail(declared.at, "a parameter cannot be void");
        if (declared.type->kind != Type::Kind::pointer && declared.type->space != Space::value)
            fail(declared.at, "parameter '" + declared.name + "' is a value and lies in no such memory",
                 "Pass a pointer, or leave the word out.");
        Attributes ignored;
        while (is("__attribute__"))
            attributes(ignored);
        Variable parameter;
        parameter.name = declared.name;
        parameter.cpp_name = cpp_name(declared.name);
        parameter.type = declared.type;
        parameter.at = declared.at;
        result.push_back(std::move(parameter));
        if (at_ < close && !accept(","))
            fail(now().at, "expected ',' or ')' before '" + now().text + "'");
        if (at_ == close && token(at_ - 1).is(","))
            fail(token(at_ - 1).at, "a parameter is missing after ','");
    }
    at_ = close + 1;
    return result;
}

/// Reads the type that starts at `index`, as in a cast; `index` is then after it.
TypePtr Parser::type_name(std::size_t& index) {
    const std::size_t saved = at_;
    at_ = index;
    const Specifiers base = specifiers();
    const Declarator declared = declarator(base.type, false);
    if (!declared.name.empty())
        fail(declared.at, "'" + declared.name + "' was not expected in a type");
    if (declared.is_function)
        fail(declared.at, "function pointers are not supported", "Choose between functions with a switch.");
    index = at_;
    at_ = saved;
    return declared.type;
}

void Parser::check_depth(const Type& type, Position at) const {
    if (depth_of(type) > 100)
        fail(at, "this type is nested too deeply");
}

} // namespace devq::frontend
