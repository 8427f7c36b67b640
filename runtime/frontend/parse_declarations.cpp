#include "builtins.hpp"
#include "parser.hpp"
#include <algorithm>
#include <iterator>

namespace devq::frontend {

/// What has this name for every program: no driver takes another thing of it. Empty for free names.
static std::string_view taken_by(const std::string& name) {
    if (builtin_type(name))
        return "a type";
    if (name == "printf")
        return "a function";
    return {};
}

void Parser::check_program_name(const std::string& name, Position at) const {
    if (const std::string_view what = taken_by(name); !what.empty())
        fail(at, "'" + name + "' is " + std::string(what) + " of OpenCL C and cannot be declared",
             "Choose another name.");
}

/// Compilers and drivers of the several targets mind unlike names of kernels: what one of them refuses, all do.
void Parser::check_kernel_name(const std::string& name, Position at) const {
    if (name == "main")
        fail(at, "a kernel cannot be called 'main'", "Choose another name.");
    if (is_builtin_function(name))
        fail(at, "kernel '" + name + "' has the name of a built-in function of OpenCL C", "Choose another name.");
}

static std::vector<TypePtr> types_of(const std::vector<Variable>& variables) {
    std::vector<TypePtr> types;
    for (const Variable& variable : variables)
        types.push_back(variable.type);
    return types;
}

void Parser::external_declaration() {
    if (accept(";"))
        return;
    const Specifiers base = specifiers();
    if (accept(";"))
        return;
    Declarator first = declarator(base.type, true);
    if (!first.is_function || base.is_typedef) {
        std::vector<Variable> none; // those of program scope are constants
        declarators(base, std::move(first), true, none);
        return;
    }
    Specifiers all = base;
    while (is("__attribute__"))
        attributes(all.attributes);
    if (is("{")) {
        function(all, std::move(first));
        return;
    }
    for (;;) { // prototypes
        Symbol symbol;
        symbol.kind = Symbol::Kind::function;
        symbol.type = first.type;
        symbol.cpp_name = cpp_name(first.name);
        symbol.at = first.at;
        symbol.parameters = first.parameters.size();
        symbol.parameter_types = types_of(first.parameters);
        if (const Symbol* known = lookup(first.name))
            symbol.is_defined = known->is_defined;
        declare_name(first.name, std::move(symbol));
        if (!accept(","))
            break;
        first = declarator(base.type, true);
        if (!first.is_function)
            fail(first.at, "functions and variables cannot be declared together");
    }
    expect(";", "the declaration of '" + first.name + "'");
}

void Parser::function(const Specifiers& specifiers, Declarator declarator) {
    check_program_name(declarator.name, declarator.at);
    if (specifiers.is_kernel) {
        check_kernel_name(declarator.name, declarator.at);
        if (specifiers.is_static)
            fail(specifiers.at, "kernel '" + declarator.name + "' cannot be static: the host could not find it");
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::function;
    symbol.type = declarator.type;
    symbol.cpp_name = cpp_name(declarator.name);
    symbol.at = declarator.at;
    symbol.is_defined = true;
    if (!specifiers.attributes.overloadable)
        symbol.parameters = declarator.parameters.size();
    symbol.parameter_types = types_of(declarator.parameters);
    const Symbol* known = lookup(declarator.name);
    if (known && known->is_defined && !specifiers.attributes.overloadable)
        fail(declarator.at, "function '" + declarator.name + "' is defined twice; the first time in line " +
                                std::to_string(known->at.line));
    declare_name(declarator.name, std::move(symbol));

    Function result;
    result.name = declarator.name;
    result.cpp_name = cpp_name(declarator.name);
    result.at = declarator.at;
    result.result = declarator.type;
    result.parameters = std::move(declarator.parameters);
    result.is_kernel = specifiers.is_kernel;
    result.required_group = specifiers.attributes.required_group;
    result.is_noinline = specifiers.attributes.noinline && !specifiers.is_kernel;

    scopes_.emplace_back();
    for (const Variable& parameter : result.parameters) {
        if (parameter.name.empty())
            continue;
        Symbol name;
        name.type = parameter.type;
        name.cpp_name = parameter.cpp_name;
        name.at = parameter.at;
        declare_name(parameter.name, std::move(name));
    }
    function_ = &result;
    if (host_forms_)
        written_ = written_names(at_, matching(at_));
    labels_.clear();
    jumps_.clear();
    result.body = block();
    for (const Token& label : jumps_)
        if (labels_.count(label.text) == 0)
            fail(label.at, "there is no label '" + label.text + "' in '" + result.name + "'");
    function_ = nullptr;
    scopes_.pop_back();
    program_.functions.push_back(std::move(result));
}

/// Reads one declaration in a function with its ';'.
std::vector<Variable> Parser::declaration() {
    std::vector<Variable> variables;
    const Specifiers base = specifiers();
    if (!accept(";"))
        declarators(base, declarator(base.type, true), false, variables);
    return variables;
}

/// The names of one declaration from the first one on, to its ';'. What becomes of each depends on where it lies:
/// constants and local memory leave the function, the rest is added to `variables`.
void Parser::declarators(const Specifiers& base, Declarator declared, bool program_scope,
                         std::vector<Variable>& variables) {
    for (;; declared = declarator(base.type, true)) {
        Attributes ignored;
        while (is("__attribute__"))
            attributes(ignored);
        check_depth(*declared.type, declared.at);
        if (base.is_typedef) {
            if (declared.is_function)
                fail(declared.at, "function types are not supported");
            const TypePtr known = program_scope ? builtin_type(declared.name) : nullptr;
            if (!known || describe(*known) != describe(*declared.type)) { // typedef unsigned int uint; says nothing
                if (program_scope)
                    check_program_name(declared.name, declared.at);
                Symbol symbol;
                symbol.kind = Symbol::Kind::type;
                symbol.type = declared.type;
                symbol.at = declared.at;
                declare_name(declared.name, std::move(symbol));
            }
        } else if (declared.is_function) {
            fail(declared.at, "functions cannot be declared here");
        } else {
            variable(base, std::move(declared), program_scope, variables);
        }
        if (!accept(","))
            break;
    }
    expect(";", "the declaration");
}

/// Around what the body of a kernel declares: the program, the parameters, the body.
static constexpr std::size_t kernel_scopes = 3;

void Parser::variable(const Specifiers& specifiers, Declarator declarator, bool program_scope,
                      std::vector<Variable>& variables) {
    Variable result;
    result.name = declarator.name;
    result.cpp_name = cpp_name(declarator.name);
    result.type = declarator.type;
    result.at = declarator.at;
    const Space space = space_of(*result.type);
    result.is_static_constant = space == Space::constant || program_scope;
    if (program_scope && space != Space::constant)
        fail(result.at, "'" + result.name + "' must be __constant: programs have no variables outside functions");
    if (program_scope && specifiers.is_extern)
        fail(result.at, "'" + result.name + "' cannot be extern: a program is one source");
    if (!program_scope && specifiers.is_static)
        fail(result.at, "variables of functions cannot be static");
    if (space == Space::global)
        fail(result.at, "'" + result.name + "' cannot lie in global memory; only pointers can lead there");
    if (space == Space::local && (!function_ || !function_->is_kernel))
        fail(result.at, "'" + result.name + "' cannot be __local outside a kernel",
             "Declare it in the kernel and pass a pointer.");
    if (space == Space::local && scopes_.size() > kernel_scopes)
        fail(result.at, "'" + result.name + "' cannot be __local within a block of the kernel",
             "Declare it at the beginning of the kernel's body.");

    // In scope from here on, its own initialiser included.
    Symbol symbol;
    symbol.type = result.type;
    symbol.cpp_name = result.cpp_name;
    symbol.at = result.at;
    if (program_scope) {
        check_program_name(result.name, result.at);
        if (is_builtin_function(result.name))
            fail(result.at, "'" + result.name + "' is a built-in function of OpenCL C", "Choose another name.");
    }
    if (space == Space::local || (result.is_static_constant && !program_scope))
        symbol.cpp_name = result.cpp_name = unique_name(result.name);
    Symbol& declared = declare_name(result.name, symbol);
    std::vector<Variable> twins;

    if (accept("=")) {
        const std::size_t begin = at_, end = find(at_, ",", ";");
        if (begin == end)
            fail(now().at, "expected a value after '='");
        if (space == Space::local)
            fail(result.at, "'" + result.name + "' lies in local memory and cannot have an initialiser",
                 "Let one work-item store the value, then use a barrier.");
        complete_array(result, begin, end);
        declared.type = result.type;
        if (result.type->kind == Type::Kind::array && !token(begin).is("{") && !is_string(*result.type, begin, end))
            fail(token(begin).at, "an array is initialised by values between '{' and '}'");
        if (result.is_static_constant)
            check_constant_value("constant '" + result.name + "'", begin, end);
        if (result.type->kind == Type::Kind::scalar && result.type->is_const &&
            value_kind(*result.type) != ValueKind::floating)
            declared.value = constant(begin, end);
        at_ = end;
        if (token(begin).is("{")) {
            if (matching(begin) + 1 != end)
                fail(token(matching(begin) + 1).at, "expected ',' or ';' after the initialiser");
            if (is_vector(*result.type))
                literal(result.type, begin, result.initializer);
            else
                braces(begin, result.type, result.initializer);
        } else if (is_string(*result.type, begin, end)) {
            result.initializer.push_back(token(begin));
        } else {
            const std::size_t literals = function_ ? function_->literals.size() : 0;
            const TypePtr from = rewrite_assignment(begin, end, result.initializer);
            const bool is_literal =
                token(begin).is("(") && token(matching(begin) + 1).is("{") && matching(matching(begin) + 1) + 1 == end;
            if (is_literal && function_ && function_->literals.size() > literals) // it is the variable itself
                function_->literals.erase(function_->literals.begin() + static_cast<std::ptrdiff_t>(literals));
            if (end == begin + 1 && from)
                check_value(*result.type, *from, token(begin).at);
            check_memory(*result.type, from, begin, end);
            cast_pointer(result.type, from, result.initializer, 0, token(begin).at);
            note_for_indices(declared, result, begin, end, twins);
        }
    } else if (result.is_static_constant) {
        fail(result.at, "constant '" + result.name + "' needs a value");
    }
    if (!size_of(*result.type))
        fail(result.at, "'" + result.name + "' has an incomplete type");
    if (result.type->kind == Type::Kind::scalar && result.type->scalar == ScalarType::half)
        fail(result.at, "'" + result.name + "' cannot be half, which lives in memory only",
             "Use float, vload_half and vstore_half.");
    if (space == Space::local)
        function_->local_memory.push_back(result);
    if (result.is_static_constant)
        program_.constants.push_back(std::move(result));
    else
        variables.push_back(std::move(result));
    std::move(twins.begin(), twins.end(), std::back_inserter(variables));
}

/// How many characters a string literal has.
static std::size_t string_length(const std::string& text) {
    std::size_t length = 0;
    for (std::size_t i = 1; i + 1 < text.size(); ++i, ++length) {
        if (text[i] != '\\')
            continue;
        ++i;
        const bool hexadecimal = text[i] == 'x', octal = text[i] >= '0' && text[i] <= '7';
        const std::string_view digits = hexadecimal ? "0123456789abcdefABCDEF" : "01234567";
        for (std::size_t n = 1; (hexadecimal || (octal && n < 3)) && digits.find(text[i + 1]) != digits.npos; ++n)
            ++i;
    }
    return length;
}

/// `T x[] = {…}` and `char x[] = "…"` get their length from the initialiser.
void Parser::complete_array(Variable& variable, std::size_t begin, std::size_t end) {
    const Type& type = *variable.type;
    if (type.kind != Type::Kind::array || type.count)
        return;
    if (is_string(type, begin, end)) {
        variable.type = make_array(type.element, string_length(token(begin).text) + 1);
        return;
    }
    if (!token(begin).is("{"))
        fail(variable.at, "the length of '" + variable.name + "' is unknown");
    std::size_t count = 0, place = 0;
    for (std::size_t i = begin + 1; i + 1 < end;) {
        if (token(i).is("["))
            place = element_number(i);
        const std::size_t comma = find(i, ",");
        place += comma > i ? 1 : 0;
        count = std::max(count, place);
        i = comma + 1;
    }
    variable.type = make_array(type.element, count);
}

/// Are the tokens one string, for an array of characters?
bool Parser::is_string(const Type& type, std::size_t begin, std::size_t end) const {
    return begin + 1 == end && token(begin).kind == TokenKind::string && type.kind == Type::Kind::array &&
           type.element->kind == Type::Kind::scalar &&
           (type.element->scalar == ScalarType::char_ || type.element->scalar == ScalarType::uchar);
}

} // namespace devq::frontend
