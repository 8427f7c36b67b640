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

std::string bare_attribute(std::string name) {
    if (name.size() > 4 && name.substr(0, 2) == "__" && name.substr(name.size() - 2) == "__")
        return name.substr(2, name.size() - 4);
    return name;
}

/// A copy of `type` as an object in `space` with more qualifiers; of an array they are its elements'.
TypePtr qualified(const TypePtr& type, const Type& with) {
    if (!with.is_const && !with.is_volatile && !with.is_restrict && with.space == Space::value)
        return type;
    Type copy = *type;
    if (copy.kind == Type::Kind::array) {
        copy.element = qualified(copy.element, with);
        return std::make_shared<const Type>(std::move(copy));
    }
    copy.is_const |= with.is_const;
    copy.is_volatile |= with.is_volatile;
    copy.is_restrict |= with.is_restrict;
    if (with.space != Space::value)
        copy.space = with.space;
    if (copy.space == Space::constant)
        copy.is_const = true;
    return std::make_shared<const Type>(std::move(copy));
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
        if (const auto space = space_word(word))
            type.space = *space;
        else if (word == "const" || word == "__const")
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

TypePtr Parser::record_specifier() {
    const bool is_union = is("union");
    const Position at = now().at;
    ++at_;
    Attributes before;
    while (is("__attribute__"))
        attributes(before);
    std::string tag;
    if (now().is_identifier())
        tag = token(at_++).text;
    const bool defined_here = is("{");
    if (tag.empty() && !defined_here)
        fail(now().at, "expected a name or '{' after '" + std::string(is_union ? "union" : "struct") + "'");
    std::shared_ptr<Record> record;
    if (!tag.empty()) {
        auto& here = scopes_.back().tags;
        const auto found = here.find(tag);
        record = defined_here ? (found == here.end() ? nullptr : found->second) : lookup_tag(tag);
    }
    if (record && record->is_union != is_union)
        fail(at, "'" + tag + "' is a " + (record->is_union ? "union" : "struct") + " elsewhere");
    if (!record) {
        record = std::make_shared<Record>();
        record->tag = tag;
        record->is_union = is_union;
        record->at = at;
        record->cpp_name = tag.empty() || lookup_tag(tag) ? unique_name(tag.empty() ? "unnamed" : tag) : cpp_name(tag);
        if (!tag.empty())
            scopes_.back().tags[tag] = record;
    }
    if (defined_here) {
        if (record->complete)
            fail(at, "'" + tag + "' is defined twice; the first time in line " + std::to_string(record->at.line));
        record_members(*record);
        while (is("__attribute__"))
            attributes(before);
        lay_out(*record, before.packed, before.aligned);
        record->attributes = before.text;
        program_.records.push_back(record);
    }
    Type type;
    type.kind = Type::Kind::record;
    type.record = std::move(record);
    return std::make_shared<const Type>(std::move(type));
}

void Parser::record_members(Record& record) {
    const Nested nested(*this, now().at);
    const std::size_t close = matching(at_);
    ++at_;
    while (at_ < close) {
        const Specifiers base = specifiers();
        do {
            Declarator declared = declarator(base.type, true);
            if (declared.is_function)
                fail(declared.at, "a function cannot be a member");
            if (is(":"))
                fail(now().at, "bit-fields are not part of OpenCL C; use shifts and masks");
            if (!size_of(*declared.type))
                fail(declared.at, "member '" + declared.name + "' has an incomplete type");
            check_depth(*declared.type, declared.at);
            for (const Field& field : record.fields)
                if (field.name == declared.name)
                    fail(declared.at, "member '" + declared.name + "' is declared twice");
            ++field_names_[declared.name];
            record.fields.push_back({declared.name, declared.type, 0});
        } while (accept(","));
        Attributes ignored;
        while (is("__attribute__"))
            attributes(ignored);
        if (ignored.aligned || ignored.packed)
            fail(now().at, "alignment of a single member is not supported; align or pack the whole struct");
        expect(";", "a member");
    }
    expect("}", "the members");
}

TypePtr Parser::enumeration_specifier() {
    ++at_;
    if (now().is_identifier())
        ++at_; // an enumeration's name says nothing: it is an int
    if (is("{")) {
        const std::size_t close = matching(at_);
        ++at_;
        Constant next;
        while (at_ < close) {
            const Token& name = now();
            if (!name.is_identifier())
                fail(name.at, "expected the name of an enumerator");
            ++at_;
            if (accept("=")) {
                const std::size_t end = find(at_, ",");
                next = required_constant(at_, end, "an enumerator");
                at_ = end;
            }
            Symbol symbol;
            symbol.kind = Symbol::Kind::enumerator;
            symbol.type = make_scalar(ScalarType::int_);
            symbol.value = next;
            symbol.at = name.at;
            declare_name(name.text, std::move(symbol));
            ++next.bits;
            if (!accept(","))
                break;
        }
        expect("}", "the enumerators");
    }
    Type type;
    type.kind = Type::Kind::enumeration;
    return std::make_shared<const Type>(std::move(type));
}

void Parser::attributes(Attributes& result) {
    const Position at = now().at;
    ++at_;
    if (!is("(") || !token(at_ + 1).is("("))
        fail(at, "expected '((' after __attribute__");
    const std::size_t close = matching(at_);
    for (at_ += 2; at_ + 1 < close; ++at_) {
        const std::string name = bare_attribute(now().text);
        const std::size_t open = at_ + 1;
        const bool has_arguments = token(open).is("(");
        std::vector<std::size_t> numbers;
        if (has_arguments && (name == "reqd_work_group_size" || name == "aligned" || name == "opencl_unroll_hint"))
            for (std::size_t i = open; i < matching(open);) {
                const std::size_t end = find(i + 1, ",");
                numbers.push_back(
                    static_cast<std::size_t>(required_constant(i + 1, end, "an attribute's argument").bits));
                i = end;
            }
        if (name == "reqd_work_group_size") {
            if (numbers.size() != 3)
                fail(now().at, "reqd_work_group_size takes three numbers");
            std::copy(numbers.begin(), numbers.end(), result.required_group.begin());
        } else if (name == "aligned") {
            result.aligned = numbers.empty() ? 16 : numbers[0];
            if (result.aligned == 0 || (result.aligned & (result.aligned - 1)) || result.aligned > 4096)
                fail(now().at, "an alignment is a power of two up to 4096");
            result.text += " __attribute__((aligned(" + std::to_string(result.aligned) + ")))";
        } else if (name == "packed") {
            result.packed = true;
            result.text += " __attribute__((packed))";
        } else if (name == "opencl_unroll_hint") {
            result.unroll = numbers.empty() ? 16 : static_cast<unsigned>(std::min<std::size_t>(numbers[0], 128));
        } else if (name == "overloadable") {
            result.overloadable = true;
        }
        if (has_arguments)
            at_ = matching(open);
    }
    at_ = close + 1;
}

Parser::Declarator Parser::declarator(TypePtr base, bool need_name) {
    const Nested nested(*this, now().at);
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
    return make_array(suffixes(std::move(base), nullptr), count);
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
