#pragma once
/// Reads declarations and statements; expressions are rewritten token by token on the way (rewrite.cpp), while the
/// names in scope are known.

#include "constant.hpp"
#include "syntax.hpp"
#include <unordered_map>
#include <unordered_set>

namespace devq::frontend {

Program parse_program(const Sources& sources, const Tokens& tokens, bool host_forms);

class Parser {
public:
    Parser(const Sources& sources, const Tokens& tokens, bool host_forms);
    Program run();

private:
    struct Symbol {
        enum class Kind { type, variable, function, enumerator };
        Kind kind = Kind::variable;
        TypePtr type; ///< of a function: its result
        std::string cpp_name;
        std::optional<Constant> value;         ///< of an enumerator, of a const integer with a constant initialiser
        bool is_defined = false;               ///< of a function
        std::optional<std::size_t> parameters; ///< of a function that is not overloaded: how many
        std::vector<TypePtr> parameter_types;  ///< of that function
        std::string wide_name;                 ///< of a variable: its twin of 64 bits, for indices; empty: none
        bool is_id = false;                    ///< of a variable: an id of the item or the group, for good
        Position at;
    };
    struct WideSum {
        bool is_unsigned = false; ///< some of it is
        bool computes = false;    ///< it is more than a number or a variable
    };
    struct Scope {
        std::unordered_map<std::string, Symbol> names;
        std::unordered_map<std::string, std::shared_ptr<Record>> tags;
    };
    struct Attributes {
        bool packed = false;
        bool overloadable = false;
        bool noinline = false;
        std::size_t aligned = 0;
        unsigned unroll = 0;
        std::array<std::size_t, 3> required_group{0, 0, 0};
        std::string text; ///< of those that C++ must see too
    };
    struct Specifiers {
        TypePtr type;
        bool is_typedef = false, is_static = false, is_extern = false, is_kernel = false;
        Attributes attributes;
        Position at;
    };
    struct Declarator {
        std::string name;
        Position at;
        TypePtr type; ///< of a function: its result
        bool is_function = false;
        std::vector<Variable> parameters;
    };
    /// Counts nesting, so that no text can exhaust the stack.
    class Nested;

    // parser.cpp: tokens, names, constants
    [[noreturn]] void fail(Position at, const std::string& message, std::string advice = {}) const;
    void match_brackets();
    const Token& token(std::size_t index) const { return index < tokens_.size() ? tokens_[index] : end_; }
    const Token& now() const { return token(at_); }
    bool is(std::string_view text) const { return now().is(text); }
    bool accept(std::string_view text);
    void expect(std::string_view text, std::string_view after);
    std::size_t matching(std::size_t open) const { return match_[open]; }
    std::size_t find(std::size_t from, std::string_view first, std::string_view second = {}) const;
    const Symbol* lookup(const std::string& name) const;
    std::vector<std::string> names_in_scope(bool types) const;
    std::shared_ptr<Record> lookup_tag(const std::string& tag) const;
    Symbol& declare_name(const std::string& name, Symbol symbol);
    std::string unique_name(const std::string& name);
    std::optional<Constant> constant(std::size_t begin, std::size_t end);
    Constant required_constant(std::size_t begin, std::size_t end, std::string_view what);
    std::optional<Resolved> resolve(std::span<const Token> from);

    // parse_types.cpp
    bool starts_type(std::size_t index) const;
    Specifiers specifiers();
    TypePtr scalar_words(std::vector<std::string>& words, Position at);
    TypePtr record_specifier();
    void record_members(Record& record);
    void add_member(Record& record, Field field, Position at);
    TypePtr enumeration_specifier();
    void attributes(Attributes& result);
    void qualifiers(Type& type, bool& any);
    Declarator declarator(TypePtr base, bool need_name);
    TypePtr suffixes(TypePtr base, Declarator* function);
    std::vector<Variable> parameters();
    TypePtr type_name(std::size_t& index);
    void check_depth(const Type& type, Position at) const;

    // parse_declarations.cpp
    void check_program_name(const std::string& name, Position at) const;
    void check_kernel_name(const std::string& name, Position at) const;
    void external_declaration();
    void function(const Specifiers& specifiers, Declarator declarator);
    std::vector<Variable> declaration();
    void declarators(const Specifiers& base, Declarator declared, bool program_scope, std::vector<Variable>& variables);
    void variable(const Specifiers& specifiers, Declarator declarator, bool program_scope,
                  std::vector<Variable>& variables);
    void complete_array(Variable& variable, std::size_t begin, std::size_t end);
    bool is_string(const Type& type, std::size_t begin, std::size_t end) const;

    // parse_statements.cpp
    StatementPtr statement();
    StatementPtr block();
    StatementPtr for_statement();
    StatementPtr declaration_statement();
    Tokens parenthesised();
    Tokens expression_until(std::size_t end);
    unsigned trip_count(std::size_t begin, std::size_t end);

    // checks.cpp: each check reports a mistake
    void check_condition(std::size_t begin, std::size_t end, const TypePtr& type) const;
    void check_constant_value(const std::string& what, std::size_t begin, std::size_t end) const;
    void check_value(const Type& to, const Type& from, Position at) const;
    void check_memory(const Type& to, const TypePtr& from, std::size_t begin, std::size_t end) const;
    bool has_known_type(std::size_t begin) const;
    void check_written(const TypePtr& left, const Token& op) const;
    void check_operands(const Token& op, const TypePtr& left, const TypePtr& right) const;
    void check_arguments(std::size_t open, const std::vector<TypePtr>& wanted, const std::vector<TypePtr>& given) const;

    // rewrite.cpp: every function appends C++ tokens to `out` and answers the expression's type, null where unknown
    TypePtr rewrite(std::size_t begin, std::size_t end, Tokens& out);
    TypePtr rewrite_assignment(std::size_t begin, std::size_t end, Tokens& out);
    TypePtr rewrite_operands(std::size_t begin, std::size_t end, Tokens& out, bool open_ended);
    TypePtr operand(std::size_t& i, std::size_t end, Tokens& out);
    TypePtr parenthesis(std::size_t& i, std::size_t end, Tokens& out);
    TypePtr literal(const TypePtr& type, std::size_t open, Tokens& out);
    TypePtr size_expression(std::size_t& i, std::size_t end, Tokens& out);
    TypePtr primary(std::size_t& i, std::size_t end, Tokens& out);
    TypePtr postfix(TypePtr type, std::size_t& i, std::size_t end, Tokens& out);
    void braces(std::size_t open, const TypePtr& type, Tokens& out);
    void components(const Type& vector, std::size_t open, Tokens& out);
    std::size_t member_number(const TypePtr& type, std::size_t i) const;
    std::size_t element_number(std::size_t& i);
    void shift(std::size_t i, Tokens& out) const;
    void guard_division(const Token& op, Tokens& out, std::size_t place) const;
    bool divides_safely(const Token& op, std::size_t begin, std::size_t after, std::size_t end, const TypePtr& type);
    [[noreturn]] void unexpected(std::size_t i) const;

    // rewrite_truths.cpp
    bool is_truth(std::size_t begin, std::size_t end) const;
    void as_int(std::size_t begin, std::size_t end, const TypePtr& type, Tokens& out, std::size_t start) const;

    // rewrite_indices.cpp
    std::unordered_set<std::string> written_names(std::size_t begin, std::size_t end) const;
    bool wide_sum(std::size_t begin, std::size_t end, Tokens& out, WideSum& found) const;
    bool wide_leaf(const Token& leaf, Tokens& out, WideSum& found) const;
    void index(const TypePtr& base, std::size_t begin, std::size_t end, Tokens& out);
    void near_item(const Type& base, std::size_t begin, std::size_t end, Tokens& out);
    void note_for_indices(Symbol& symbol, const Variable& variable, std::size_t begin, std::size_t end,
                          std::vector<Variable>& variables);

    // rewrite_calls.cpp
    TypePtr call(std::size_t& i, Tokens& out);
    std::vector<TypePtr> arguments(std::size_t open, Tokens& out, const std::vector<TypePtr>& wanted = {});
    void cast_pointer(const TypePtr& to, const TypePtr& from, Tokens& out, std::size_t start, Position at) const;
    TypePtr print_call(std::size_t& i, Tokens& out); // rewrite_printf.cpp
    bool conversion(const std::string& name, Position at, Tokens& out, TypePtr& result) const;
    TypePtr builtin_result(const std::string& name, const std::vector<TypePtr>& arguments) const;

    // rewrite_members.cpp
    TypePtr member(TypePtr type, std::size_t& i, std::size_t end, Tokens& out);
    TypePtr component(const TypePtr& type, std::size_t& i, std::size_t end, Tokens& out);
    std::vector<unsigned> selected(const std::string& name, const std::vector<unsigned>& from, Position at) const;
    TypePtr unknown_component(std::size_t& i, std::size_t end, Tokens& out) const;
    bool is_field_name(const std::string& name) const { return field_names_.count(name) > 0; }

    const Sources& sources_;
    Tokens tokens_;
    Token end_;
    std::vector<std::size_t> match_; ///< of each opening bracket its closing one
    std::size_t at_ = 0;
    std::vector<Scope> scopes_;
    std::unordered_map<std::string, int> field_names_;
    Program program_;
    Function* function_ = nullptr;            ///< the one being read
    std::unordered_set<std::string> labels_;  ///< of that function
    std::unordered_set<std::string> written_; ///< names of variables that it may write
    std::vector<Token> jumps_;                ///< the labels that its gotos name
    unsigned depth_ = 0;
    unsigned unique_ = 0;
    unsigned loops_ = 0, switches_ = 0;
    const bool host_forms_;  ///< Options::host_forms
    bool measuring_ = false; ///< within the sizeof of a constant expression
};

class Parser::Nested {
public:
    Nested(Parser& parser, Position at) : parser_(parser) {
        if (++parser_.depth_ > 250)
            parser_.fail(at, "this program is nested too deeply");
    }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

private:
    Parser& parser_;
};

} // namespace devq::frontend
