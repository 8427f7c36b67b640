#pragma once
/// Where the variables of a split kernel live, and which of its statements are run once for the group.

#include "split.hpp"
#include "split_tokens.hpp"
#include <set>

namespace devq::frontend {

class Placement {
public:
    explicit Placement(SplitKernel& kernel) : kernel_(kernel), variables_(kernel.variables) {}
    void run();

private:
    using Place = SplitVariable::Place;
    using Kind = SplitNode::Kind;

    /// What is known of a variable besides where it goes.
    struct Facts {
        bool written_aside = false; ///< otherwise than by its declaration
        bool escapes = false;
        bool in_memory = false;              ///< escapes, and not only into built-in functions
        std::set<const SplitNode*> headers;  ///< loops whose first part or step assigns to it
        std::vector<const SplitNode*> loops; ///< around its declaration
        std::set<std::size_t> uses;          ///< regions
        std::size_t declared = 0;            ///< region; 0: none
        bool has_value = false;              ///< its declaration gives it one
        const Statement* first_write = nullptr;
    };

    // split_uniform.cpp: which variables are the same for all items
    static bool is_simple(const Type& type);
    SplitVariable& add(const Variable& variable);
    VariableLookup known() const;
    static const Statement* alone(const SplitNode& node);
    void declare(const std::vector<SplitNode>& nodes);
    void declare(const SplitNode& node);
    void find_uniform();
    bool is_uniform(const std::string& name) const;
    bool is_uniform(const Tokens& tokens, std::size_t begin, std::size_t end) const;
    bool is_uniform(const Tokens& tokens) const;
    bool is_uniform_node(const SplitNode& node) const;
    bool is_uniform_step(const Tokens& step) const;
    bool rule_out(const std::string& name);
    bool rule_out_written(const Tokens& tokens);
    bool narrow_assignments(const Tokens& tokens);
    bool narrow(const std::vector<SplitNode>& nodes);

    // split_collapse.cpp: which control flow without barriers is kept
    bool collapse(std::vector<SplitNode>& nodes);
    bool is_worth_keeping(const SplitNode& node) const;
    bool parts_nobody(const SplitNode& node) const;
    static std::set<std::string> inner_names(const SplitNode& node);
    bool sets_uniform(const SplitNode& node, const std::set<std::string>& inner) const;
    static void end_regions_at_continue(std::vector<SplitNode>& nodes);

    // split_regions.cpp: statements run once, and what is left as few regions as can be
    bool is_repeated_declaration(const SplitNode& node) const;
    bool can_go_before(const Statement& uniform, const SplitNode& region) const;
    bool differs_by_item(const Tokens& tokens) const;
    static bool is_endless(const Statement& loop);
    void merge(std::vector<SplitNode>& nodes, bool last_turn = false);
    SplitNode first_part(SplitNode node) const;

    // split_variables.cpp: what is computed again, and what is kept
    void find_definitions(const std::vector<SplitNode>& nodes, const SplitNode* header = nullptr);
    bool is_stable(const std::string& name, const std::vector<const SplitNode*>& loops) const;
    std::vector<SplitVariable*> in_order();
    void find_repeated();
    void use(const Tokens& tokens, std::size_t region);
    void find_uses(const std::vector<SplitNode>& nodes);
    void use_in_region(const Statement& s);
    void note_first_writes(const Statement& s);
    void find_kept();

    SplitKernel& kernel_;
    std::map<std::string, SplitVariable>& variables_;
    std::map<std::string, Facts> facts_;
    std::vector<const SplitNode*> loops_;
    std::size_t region_ = 0;
};

} // namespace devq::frontend
