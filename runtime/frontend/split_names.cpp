#include "split_cloner.hpp"
#include "split_tokens.hpp"
#include "text.hpp"
#include "tokens.hpp"

namespace devq::frontend {

Cloner::Cloner(const Program& program) {
    for (const Function& function : program.functions) {
        functions_[function.cpp_name].push_back(&function);
        by_name_[function.name].push_back(&function);
    }
    for (const Function& function : program.functions)
        visit(function);
    for (const Variable& constant : program.constants) // a variable that hides one gets a name of its own
        used_.insert(constant.cpp_name);
}

/// Notes whether it reaches a barrier. Programs do not recurse.
bool Cloner::visit(const Function& function) {
    if (!visited_.insert(&function).second)
        return barriers_.count(function.cpp_name) > 0;
    bool reaches = function.has_barrier;
    for (const Call& call : function.calls)
        for (const Function* callee : by_name_[call.function])
            reaches |= visit(*callee);
    if (reaches)
        barriers_.insert(function.cpp_name);
    return reaches;
}

/// Names that a variable must not take, since they mean something else in this function or in what it calls.
void Cloner::reserve(const Function& function) {
    if (!read_.insert(&function).second)
        return;
    reserve(*function.body);
    for (const Variable& parameter : function.parameters)
        reserved_.insert(parameter.cpp_name);
    for (const Call& call : function.calls)
        for (const Function* callee : by_name_[call.function])
            reserve(*callee);
}
void Cloner::reserve(const Statement& s) {
    const auto all = [this](const Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (tokens[i].is_identifier()) {
                reserved_.insert(tokens[i].text);
                if (i + 1 < tokens.size() && tokens[i + 1].is("("))
                    used_.insert(tokens[i].text); // one function's variable may have the name of what another calls
            }
    };
    all(s.tokens);
    all(s.step);
    for (const Variable& variable : s.variables) {
        reserved_.insert(variable.cpp_name);
        all(variable.initializer);
    }
    for (const StatementPtr& child : s.children)
        reserve(*child);
}

std::string Cloner::fresh(const std::string& name) {
    if (used_.insert(name).second)
        return name;
    for (unsigned& n = last_number_.try_emplace(name, 1).first->second;;) {
        std::string candidate = concat({name, "_", std::to_string(++n)});
        if (reserved_.count(candidate) == 0 && used_.insert(candidate).second)
            return candidate;
    }
}

void Cloner::declare_name(Variable& variable) {
    if (variable.cpp_name.empty())
        return;
    const std::string name = fresh(variable.cpp_name);
    scopes_.back()[variable.cpp_name] = name;
    variable.cpp_name = name;
}

Tokens Cloner::renamed(const Tokens& tokens) const {
    Tokens result;
    result.reserve(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (is_free_name(tokens, i)) {
            result.push_back(tokens[i]);
            for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
                if (const auto found = scope->find(tokens[i].text); found != scope->end()) {
                    result.back().text = found->second;
                    break;
                }
            continue;
        }
        if (is_call(tokens, i)) { // in a region, of the item that it is run for
            append(result, "devq_here.", tokens[i].at);
            result.back().space_before = tokens[i].space_before;
            result.push_back(tokens[i]);
            result.back().space_before = false;
            continue;
        }
        result.push_back(tokens[i]);
    }
    return result;
}

/// Of a function of the program?
bool Cloner::is_call(const Tokens& tokens, std::size_t i) const {
    return tokens[i].is_identifier() && i + 1 < tokens.size() && tokens[i + 1].is("(") &&
           !(i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("devq_item."))) &&
           functions_.count(tokens[i].text) > 0;
}

/// The last one, so that a call among another's arguments comes before it.
std::size_t Cloner::waiting_call(const Tokens& tokens) const {
    for (std::size_t i = tokens.size(); i-- > 0;)
        if (is_call(tokens, i) && barriers_.count(tokens[i].text) > 0)
            return i;
    return tokens.size();
}

} // namespace devq::frontend
