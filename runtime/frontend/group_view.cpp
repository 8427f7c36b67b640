#include "group_view.hpp"
#include "split_tokens.hpp"
#include <set>
#include <string_view>

namespace devq::frontend {

namespace {

/// Of the work-item's functions, which rewriting marks, those that answer the same whatever the groups are.
bool is_of_the_range(const Token& token) {
    static const std::set<std::string_view> known{"get_work_dim", "get_global_size", "get_global_id",
                                                  "get_global_offset", "devq_index"};
    return known.count(token.text) > 0;
}

class Search {
public:
    explicit Search(const Program& program) : program_(program) {}

    bool finds(const Function& function) {
        if (!seen_.insert(&function).second)
            return false;
        bool found = !function.local_memory.empty();
        for (const Variable& parameter : function.parameters)
            found |= parameter.type->kind == Type::Kind::pointer && space_of(*parameter.type->element) == Space::local;
        each_expression(*function.body, [&](const Tokens& tokens) {
            for (std::size_t i = 0; i < tokens.size(); ++i) {
                const bool marked = tokens[i].text.find("devq_item.") != std::string_view::npos; // printf is one token
                found |= marked && !(i + 1 < tokens.size() && is_of_the_range(tokens[i + 1]));
            }
        });
        for (const Call& call : function.calls)
            for (const Function& callee : program_.functions)
                found = found || (callee.name == call.function && finds(callee));
        return found;
    }

private:
    const Program& program_;
    std::set<const Function*> seen_;
};

} // namespace

bool sees_groups(const Program& program, const Function& kernel) { return Search(program).finds(kernel); }

} // namespace devq::frontend
