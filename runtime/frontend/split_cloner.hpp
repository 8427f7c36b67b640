#pragma once
/// Copies a kernel for splitting: variables get names of their own, helpers with barriers are put in place of their
/// calls.

#include "split.hpp"
#include <set>

namespace devq::frontend {

class Cloner {
public:
    explicit Cloner(const Program& program);
    Function kernel(const Function& original);

private:
    using List = std::vector<StatementPtr>;

    // split_names.cpp: which functions have barriers, and names
    bool visit(const Function& function);
    void reserve(const Function& function);
    void reserve(const Statement& s);
    std::string fresh(const std::string& name);
    void declare_name(Variable& variable);
    Tokens renamed(const Tokens& tokens) const;
    bool is_call(const Tokens& tokens, std::size_t i) const;
    std::size_t waiting_call(const Tokens& tokens) const;

    // split_inline.cpp: expressions, with the bodies of helpers in place of their calls
    static bool is_conditional(const Tokens& tokens, std::size_t i, std::size_t end);
    static bool follows_comma(const Tokens& tokens, std::size_t i);
    Tokens expression(const Tokens& tokens, List& out);
    std::string inlined(const Tokens& tokens, std::size_t i, std::size_t end, List& out);
    static void refuse_returns(const Statement& s, const Function& callee);

    // split_clone.cpp: statements
    void count(Position at);
    static StatementPtr declaration(Variable variable);
    void statement(const Statement& s, List& out);
    void first_part(const Statement& first, Statement& loop, List& out);
    StatementPtr body(const Statement& s);

    std::map<std::string, std::vector<const Function*>> functions_, by_name_; ///< by cpp_name; as the user calls them
    std::set<const Function*> visited_, read_;
    std::size_t statements_ = 0;
    std::set<std::string> barriers_; ///< functions that reach one, by cpp_name
    std::set<std::string> reserved_, used_;
    std::map<std::string, unsigned> last_number_; ///< of each name: what its latest copy ends with
    std::vector<std::map<std::string, std::string>> scopes_;
};

} // namespace devq::frontend
