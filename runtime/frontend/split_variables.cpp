#include "split.hpp"
#include "split_tokens.hpp"
#include <algorithm>
#include <set>

namespace devq::frontend {

namespace {

using Place = SplitVariable::Place;
using Kind = SplitNode::Kind;

bool is_simple(const Type& type) {
    return type.kind == Type::Kind::scalar || type.kind == Type::Kind::vector || type.kind == Type::Kind::pointer ||
           type.kind == Type::Kind::enumeration;
}

/// All expressions of a statement and of what it holds.
void each_expression(const Statement& s, const std::function<void(const Tokens&)>& visit) {
    visit(s.tokens);
    visit(s.step);
    for (const Variable& variable : s.variables)
        visit(variable.initializer);
    for (const StatementPtr& child : s.children)
        each_expression(*child, visit);
}

class Placement {
public:
    explicit Placement(SplitKernel& kernel) : kernel_(kernel), variables_(kernel.variables) {}

    void run() {
        do
            find_uniform();
        while (collapse(kernel_.nodes));
        find_definitions(kernel_.nodes);
        find_repeated();
        merge(kernel_.nodes);
        find_uses(kernel_.nodes);
        find_kept();
    }

private:
    /// What is known of a variable besides where it goes.
    struct Facts {
        bool written_aside = false; ///< otherwise than by its declaration
        bool escapes = false;
        std::set<const SplitNode*> headers;  ///< loops whose first part or step assigns to it
        std::vector<const SplitNode*> loops; ///< around its declaration
        std::set<std::size_t> uses;          ///< regions
        std::size_t declared = 0;            ///< region; 0: none
        bool has_value = false;              ///< its declaration gives it one
        const Statement* first_write = nullptr;
    };

    SplitVariable& add(const Variable& variable) {
        SplitVariable& added = variables_[variable.cpp_name];
        added.variable = &variable;
        added.order = variables_.size();
        added.place = is_simple(*variable.type) ? Place::uniform : Place::kept;
        facts_[variable.cpp_name].loops = loops_;
        return added;
    }

    VariableLookup known() const {
        return [this](const std::string& name) -> const Variable* {
            const auto found = variables_.find(name);
            return found == variables_.end() ? nullptr : found->second.variable;
        };
    }

    static const Statement* alone(const SplitNode& node) {
        return node.kind == Kind::region && node.statements.size() == 1 && !node.leaves_early ? node.statements[0]
                                                                                              : nullptr;
    }

    void declare(const std::vector<SplitNode>& nodes) {
        for (const SplitNode& node : nodes)
            declare(node);
    }
    void declare(const SplitNode& node) {
        if (const Statement* s = alone(node))
            for (const Variable& variable : s->variables)
                add(variable);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            // What a for declares in its first part lives through all rounds: it is not within the loop.
            const bool within = node.kind == Kind::loop && i + 1 == node.children.size();
            if (within)
                loops_.push_back(&node);
            declare(node.children[i]);
            if (within)
                loops_.pop_back();
        }
    }

    // ---- which variables are uniform ----

    void find_uniform() {
        variables_.clear();
        facts_.clear();
        for (const Variable& parameter : kernel_.copy.parameters)
            if (!parameter.cpp_name.empty())
                add(parameter).is_parameter = true;
        declare(kernel_.nodes);
        while (narrow(kernel_.nodes)) {
        }
    }

    /// Control flow without barriers that need not be the kernel's own level becomes a region. What was found uniform
    /// because of it is to be found again then.
    bool collapse(std::vector<SplitNode>& nodes) {
        bool changed = false;
        for (SplitNode& node : nodes) {
            if (node.optional && !(has_uniform_control(node) && sets_uniform(node, inner_names(node)))) {
                const Statement* s = node.statement;
                node = SplitNode();
                node.statements.push_back(s);
                changed = true;
            } else {
                changed |= collapse(node.children);
            }
        }
        return changed;
    }

    bool has_uniform_control(const SplitNode& node) const {
        return node.kind == Kind::block || (is_uniform(node.statement->tokens) &&
                                            (node.kind != Kind::loop || is_uniform_step(node.statement->step)));
    }

    static std::set<std::string> inner_names(const SplitNode& node) {
        std::set<std::string> names;
        for (const Statement* s : node.statements)
            for (const Variable& variable : s->variables)
                names.insert(variable.cpp_name);
        for (const SplitNode& child : node.children)
            names.merge(inner_names(child));
        return names;
    }

    /// Is a uniform variable that lives outside assigned to in the node?
    bool sets_uniform(const SplitNode& node, const std::set<std::string>& inner) const {
        const auto sets = [&](const Tokens& tokens) {
            const std::vector<SimpleAssignment> assignments = simple_assignments(tokens);
            return std::any_of(assignments.begin(), assignments.end(),
                               [&](const SimpleAssignment& one) { return inner.count(tokens[one.target].text) == 0; });
        };
        if (is_uniform_node(node) && sets(node.statements[0]->tokens))
            return true;
        if (node.kind == Kind::loop && sets(node.statement->step))
            return true;
        return std::any_of(node.children.begin(), node.children.end(),
                           [&](const SplitNode& child) { return sets_uniform(child, inner); });
    }

    bool is_uniform(const std::string& name) const {
        const auto found = variables_.find(name);
        return found == variables_.end() || found->second.place == Place::uniform;
    }

    bool is_uniform(const Tokens& tokens, std::size_t begin, std::size_t end) const {
        const Purity found = purity(tokens, begin, end);
        if (!found.pure || found.items)
            return false;
        for (std::size_t i = begin; i < end; ++i)
            if (is_free_name(tokens, i) && !is_uniform(tokens[i].text))
                return false;
        return true;
    }
    bool is_uniform(const Tokens& tokens) const { return is_uniform(tokens, 0, tokens.size()); }

    bool rule_out(const std::string& name) {
        const auto found = variables_.find(name);
        if (found == variables_.end() || found->second.place != Place::uniform)
            return false;
        found->second.place = Place::kept;
        return true;
    }

    /// Nothing that these tokens assign to is uniform.
    bool rule_out_written(const Tokens& tokens) {
        bool changed = false;
        each_mention(tokens, known(), [&](const Variable& variable, const Mention& mention) {
            if (mention.written || mention.escapes)
                changed |= rule_out(variable.cpp_name);
        });
        return changed;
    }

    /// An expression on the kernel's own level: uniform if it is made of assignments of uniform values only.
    bool narrow_assignments(const Tokens& tokens) {
        const std::vector<SimpleAssignment> assignments = simple_assignments(tokens);
        const bool uniform = std::all_of(assignments.begin(), assignments.end(), [&](const SimpleAssignment& one) {
            return variables_.count(tokens[one.target].text) > 0 && is_uniform(tokens[one.target].text) &&
                   is_uniform(tokens, one.begin, one.end);
        });
        return !assignments.empty() && uniform ? false : rule_out_written(tokens);
    }

    bool narrow(const std::vector<SplitNode>& nodes) {
        bool changed = false;
        for (const SplitNode& node : nodes) {
            if (const Statement* s = alone(node); s && s->kind == Statement::Kind::expression)
                changed |= narrow_assignments(s->tokens);
            else if (s && s->kind == Statement::Kind::declaration)
                for (const Variable& variable : s->variables) {
                    changed |= rule_out_written(variable.initializer);
                    if (!is_uniform(variable.initializer))
                        changed |= rule_out(variable.cpp_name);
                }
            else
                for (const Statement* part : node.statements)
                    each_expression(*part, [&](const Tokens& tokens) { changed |= rule_out_written(tokens); });
            if (node.kind == Kind::loop || node.kind == Kind::branch)
                changed |= rule_out_written(node.statement->tokens);
            if (node.kind == Kind::loop)
                changed |= narrow_assignments(node.statement->step);
            changed |= narrow(node.children);
        }
        return changed;
    }

    // ---- which are computed again ----

    void find_definitions(const std::vector<SplitNode>& nodes, const SplitNode* header = nullptr) {
        const auto look = [this](const Tokens& tokens, const SplitNode* loop) {
            each_mention(tokens, known(), [&](const Variable& variable, const Mention& mention) {
                Facts& facts = facts_[variable.cpp_name];
                facts.escapes |= mention.escapes;
                if (mention.written && loop != nullptr)
                    facts.headers.insert(loop);
                else
                    facts.written_aside |= mention.written;
            });
        };
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const SplitNode& node = nodes[i];
            for (const Statement* s : node.statements)
                each_expression(*s, [&](const Tokens& tokens) { look(tokens, i == 0 ? header : nullptr); });
            if (node.kind == Kind::loop || node.kind == Kind::branch)
                look(node.statement->tokens, node.kind == Kind::loop ? &node : nullptr);
            if (node.kind == Kind::loop) {
                look(node.statement->step, &node);
                const bool has_first = node.children.size() > 1;
                find_definitions(node.children, has_first ? &node : nullptr);
            } else {
                find_definitions(node.children);
            }
        }
    }

    /// Does a uniform variable keep its value while a variable declared within `loops` lives?
    bool is_stable(const std::string& name, const std::vector<const SplitNode*>& loops) const {
        const auto found = facts_.find(name);
        if (found == facts_.end())
            return true;
        const Facts& facts = found->second;
        return !facts.written_aside &&
               std::all_of(facts.headers.begin(), facts.headers.end(), [&](const SplitNode* header) {
                   return std::find(loops.begin(), loops.end(), header) != loops.end();
               });
    }

    std::vector<SplitVariable*> in_order() {
        std::vector<SplitVariable*> result;
        for (auto& [name, variable] : variables_)
            result.push_back(&variable);
        std::sort(result.begin(), result.end(),
                  [](const SplitVariable* a, const SplitVariable* b) { return a->order < b->order; });
        return result;
    }

    void find_repeated() {
        for (SplitVariable* each : in_order()) {
            const Variable& variable = *each->variable;
            const Facts& facts = facts_[variable.cpp_name];
            const Tokens& value = variable.initializer;
            if (each->place == Place::uniform || each->is_parameter || !is_simple(*variable.type) || value.empty() ||
                value[0].is("{") || facts.written_aside || !facts.headers.empty() || facts.escapes)
                continue;
            const Purity found = purity(value, 0, value.size());
            bool good = found.pure && !found.loads && !found.expensive;
            for (std::size_t i = 0; good && i < value.size(); ++i) {
                if (!is_free_name(value, i))
                    continue;
                const auto used = variables_.find(value[i].text);
                good = used == variables_.end() || used->second.place == Place::repeated ||
                       (used->second.place == Place::uniform && is_stable(value[i].text, facts.loops));
            }
            if (good)
                each->place = Place::repeated;
        }
    }

    // ---- regions ----

    bool is_uniform_node(const SplitNode& node) const {
        const Statement* s = alone(node);
        if (s == nullptr)
            return false;
        if (s->kind == Statement::Kind::declaration)
            return std::all_of(s->variables.begin(), s->variables.end(), [&](const Variable& variable) {
                return variables_.at(variable.cpp_name).place == Place::uniform;
            });
        if (s->kind != Statement::Kind::expression)
            return false;
        const std::vector<SimpleAssignment> assignments = simple_assignments(s->tokens);
        return !assignments.empty() &&
               std::all_of(assignments.begin(), assignments.end(), [&](const SimpleAssignment& one) {
                   const auto found = variables_.find(s->tokens[one.target].text);
                   return found != variables_.end() && found->second.place == Place::uniform;
               });
    }

    bool is_repeated_declaration(const SplitNode& node) const {
        const Statement* s = alone(node);
        return s && s->kind == Statement::Kind::declaration && s->variables.size() == 1 &&
               variables_.at(s->variables[0].cpp_name).place == Place::repeated;
    }

    /// May a uniform statement be done before the region that precedes it?
    bool can_go_before(const Statement& uniform, const SplitNode& region) const {
        std::set<std::string> targets;
        bool loads = false;
        for (const Variable& variable : uniform.variables) {
            targets.insert(variable.cpp_name);
            loads |= purity(variable.initializer, 0, variable.initializer.size()).loads;
        }
        for (const SimpleAssignment& one : simple_assignments(uniform.tokens)) {
            targets.insert(uniform.tokens[one.target].text);
            loads |= purity(uniform.tokens, one.begin, one.end).loads;
        }
        bool mentioned = false;
        for (const Statement* s : region.statements)
            each_expression(*s, [&](const Tokens& tokens) {
                for (const Token& token : tokens)
                    mentioned |= token.is_identifier() && targets.count(token.text) > 0;
            });
        return !loads && !mentioned;
    }

    /// Does the expression name an id, or a variable that is not the same for all items of the group?
    bool differs_by_item(const Tokens& tokens) const {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const bool id = i > 0 && tokens[i - 1].is("devq_item.") &&
                            (tokens[i].is("get_global_id") || tokens[i].is("get_local_id"));
            if (id || (is_free_name(tokens, i) && variables_.count(tokens[i].text) > 0 && !is_uniform(tokens[i].text)))
                return true;
        }
        return false;
    }

    /// No turn of it is the last but by a jump, so that items that part must meet a barrier apart.
    static bool is_endless(const Statement& loop) {
        return loop.tokens.empty() ||
               (loop.tokens.size() == 1 && (loop.tokens[0].is("true") || loop.tokens[0].is("1")));
    }

    /// @param last_turn within a loop that ends by its condition
    void merge(std::vector<SplitNode>& nodes, bool last_turn = false) {
        std::vector<SplitNode> merged;
        for (SplitNode& node : nodes) {
            if (node.kind == Kind::loop || node.kind == Kind::branch)
                node.uniform_condition = is_uniform(node.statement->tokens);
            // A loop that some items leave earlier is wrong where a barrier is in it, but for its last turn. What all
            // items read alike (a flag in local memory) is taken to part none; the kernel finds out where it does.
            if (node.kind == Kind::branch && !node.uniform_condition &&
                (node.risky || (node.ends_loop && last_turn && differs_by_item(node.statement->tokens))))
                throw SplitRefusal{"a jump by some work-items between barriers", node.statement->at};
            if (node.kind == Kind::loop) {
                node.uniform_step = is_uniform_step(node.statement->step);
                if (node.children.size() > 1)
                    node.children[0] = first_part(std::move(node.children[0]));
                merge(node.children.back().children, !is_endless(*node.statement));
            } else {
                merge(node.children, last_turn);
            }
            if (node.kind == Kind::region && is_repeated_declaration(node))
                continue;
            if (is_uniform_node(node)) {
                node.kind = Kind::uniform;
                node.statement = node.statements[0];
                node.statements.clear();
                const bool earlier = !merged.empty() && merged.back().kind == Kind::region &&
                                     can_go_before(*node.statement, merged.back());
                merged.insert(merged.end() - (earlier ? 1 : 0), std::move(node));
            } else if (node.kind == Kind::region && !merged.empty() && merged.back().kind == Kind::region) {
                merged.back().statements.insert(merged.back().statements.end(), node.statements.begin(),
                                                node.statements.end());
                merged.back().leaves_early |= node.leaves_early;
            } else {
                merged.push_back(std::move(node));
            }
        }
        nodes = std::move(merged);
    }

    bool is_uniform_step(const Tokens& step) const {
        const std::vector<SimpleAssignment> assignments = simple_assignments(step);
        return std::all_of(assignments.begin(), assignments.end(),
                           [&](const SimpleAssignment& one) {
                               const auto found = variables_.find(step[one.target].text);
                               return found != variables_.end() && found->second.place == Place::uniform;
                           }) &&
               assignments.empty() == step.empty();
    }

    SplitNode first_part(SplitNode node) const {
        if (is_repeated_declaration(node)) {
            node.statements.clear();
        } else if (is_uniform_node(node)) {
            node.kind = Kind::uniform;
            node.statement = node.statements[0];
            node.statements.clear();
        }
        return node;
    }

    // ---- where the others live ----

    void use(const Tokens& tokens, std::size_t region) {
        each_mention(tokens, known(),
                     [&](const Variable& variable, const Mention&) { facts_[variable.cpp_name].uses.insert(region); });
    }

    void find_uses(const std::vector<SplitNode>& nodes) {
        for (const SplitNode& node : nodes) {
            if (node.kind == Kind::region) {
                ++region_;
                for (const Statement* s : node.statements)
                    use_in_region(*s);
            }
            if ((node.kind == Kind::loop || node.kind == Kind::branch) && !node.uniform_condition)
                use(node.statement->tokens, ++region_);
            if (node.kind == Kind::loop && !node.uniform_step)
                use(node.statement->step, ++region_);
            find_uses(node.children);
        }
    }

    void use_in_region(const Statement& s) {
        if (s.kind == Statement::Kind::declaration)
            for (const Variable& variable : s.variables)
                if (const auto found = facts_.find(variable.cpp_name); found != facts_.end()) {
                    found->second.declared = region_;
                    found->second.has_value = !variable.initializer.empty();
                    if (found->second.has_value)
                        found->second.uses.insert(region_);
                }
        note_first_writes(s);
        each_expression(s, [&](const Tokens& tokens) { use(tokens, region_); });
    }

    /// `x = ...` as the first mention of x in its region: x need not be known before.
    void note_first_writes(const Statement& s) {
        if (s.kind != Statement::Kind::expression)
            return;
        const std::vector<SimpleAssignment> assignments = simple_assignments(s.tokens);
        if (assignments.size() != 1 || assignments[0].reads_target)
            return;
        const std::string& name = s.tokens[assignments[0].target].text;
        const auto found = facts_.find(name);
        if (found == facts_.end() || !found->second.uses.empty())
            return;
        for (std::size_t i = assignments[0].begin; i < assignments[0].end; ++i)
            if (is_free_name(s.tokens, i) && s.tokens[i].text == name)
                return;
        found->second.first_write = &s;
    }

    void find_kept() {
        bool pointers_kept = false;
        for (SplitVariable* each : in_order()) {
            if (each->place != Place::kept)
                continue;
            const Facts& facts = facts_[each->variable->cpp_name];
            const bool one_region = facts.uses.size() <= 1 && !each->is_parameter;
            if (one_region && (facts.uses.empty() || facts.uses.count(facts.declared) > 0)) {
                each->place = Place::inside;
            } else if (one_region && !facts.has_value && !facts.escapes && facts.first_write != nullptr) {
                each->place = Place::inside;
                each->moved_before = facts.first_write;
            }
            pointers_kept |= each->place == Place::kept && contains_pointer(*each->variable->type);
        }
        constexpr std::size_t copied = 64;
        for (SplitVariable* each : in_order()) {
            const Type& type = *each->variable->type;
            const bool escapes = facts_[each->variable->cpp_name].escapes;
            if (each->place == Place::inside && escapes && pointers_kept)
                each->place = Place::kept;                                 // a pointer to it may outlive the region
            if (each->place == Place::kept && contains_const_member(type)) // it could not be assigned
                throw SplitRefusal{"'" + each->variable->name +
                                       "', a struct with a const member, kept across a barrier",
                                   each->variable->at};
            if (each->place == Place::kept)
                each->by_reference = escapes || type.kind == Type::Kind::array || size_of(type).value_or(0) > copied;
        }
    }

    SplitKernel& kernel_;
    std::map<std::string, SplitVariable>& variables_;
    std::map<std::string, Facts> facts_;
    std::vector<const SplitNode*> loops_;
    std::size_t region_ = 0;
};

} // namespace

void place_variables(SplitKernel& kernel) { Placement(kernel).run(); }

std::unique_ptr<SplitKernel> split(const Program& program, const Function& kernel, SplitRefusal& refusal) {
    try {
        auto result = std::make_unique<SplitKernel>();
        result->copy = clone_for_split(program, kernel);
        result->nodes = lower(result->copy);
        place_variables(*result);
        return result;
    } catch (const SplitRefusal& why) {
        refusal = why;
        return nullptr;
    }
}

} // namespace devq::frontend
