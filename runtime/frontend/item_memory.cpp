#include "item_memory.hpp"
#include "split_tokens.hpp"
#include <map>
#include <set>

namespace devq::frontend {

namespace {

class Search {
public:
    explicit Search(const Program& program) {
        for (const Function& function : program.functions)
            functions_[function.name].push_back(&function);
    }

    bool finds(const Function& function) {
        if (!seen_.insert(&function).second)
            return false;
        declared_.clear();
        bool found = false;
        for (const Variable& parameter : function.parameters)
            found |= is_array(parameter);
        for (const Variable& literal : function.literals)
            found |= is_array(literal);
        found |= contains_array(*function.result) || declares_array(*function.body) || takes_address(*function.body);
        for (const Call& call : function.calls)
            for (const Function* callee : functions_[call.function])
                found = found || finds(*callee);
        return found;
    }

private:
    bool is_array(const Variable& variable) {
        declared_[variable.cpp_name] = &variable;
        const bool shared = space_of(*variable.type) == Space::local && variable.type->kind != Type::Kind::pointer;
        return !shared && contains_array(*variable.type);
    }

    bool declares_array(const Statement& statement) {
        bool found = false;
        for (const Variable& variable : statement.variables)
            found |= is_array(variable);
        for (const StatementPtr& child : statement.children)
            found |= declares_array(*child);
        return found;
    }

    bool takes_address(const Statement& body) const {
        bool found = false;
        const VariableLookup lookup = [this](const std::string& name) -> const Variable* {
            const auto known = declared_.find(name);
            return known == declared_.end() ? nullptr : known->second;
        };
        each_expression(body, [&](const Tokens& tokens) {
            each_mention(tokens, lookup, [&](const Variable& variable, const Mention& mention) {
                const bool shared = space_of(*variable.type) == Space::local;
                found |= mention.escapes && !mention.to_builtin && !shared;
            });
        });
        return found;
    }

    std::map<std::string, std::vector<const Function*>> functions_;
    std::map<std::string, const Variable*> declared_; ///< of the function that is looked at
    std::set<const Function*> seen_;
};

} // namespace

bool has_item_memory(const Program& program, const Function& function) { return Search(program).finds(function); }

bool calls_with_item_memory(const Program& program, const Function& kernel) {
    Search search(program);
    for (const Call& call : kernel.calls)
        for (const Function& function : program.functions)
            if (function.name == call.function && search.finds(function))
                return true;
    return false;
}

} // namespace devq::frontend
