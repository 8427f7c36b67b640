#pragma once
/// Writes a kernel that is split at its barriers.

#include "split.hpp"
#include "split_tokens.hpp"
#include "write_program.hpp"
#include <set>

namespace devq::frontend {

class SplitWriter {
public:
    SplitWriter(const SplitKernel& kernel, TextWriter& out, ProgramWriter& writer);
    void write();

private:
    using Place = SplitVariable::Place;
    using Names = std::set<std::string>;

    static const std::string& name_of(const SplitVariable& variable) { return variable.variable->cpp_name; }
    static std::string array_of(const std::string& name);
    static TypePtr plain(const TypePtr& type);

    // write_split.cpp: control flow
    void nodes(const std::vector<SplitNode>& list);
    void node(const SplitNode& each);
    void branch(const SplitNode& each);
    void loop(const SplitNode& each);

    // write_region.cpp: what is done for each item, and where its variables are while it is
    std::string_view region_loop() const;
    void open_lambda(std::string_view function, std::string_view more = {});
    void condition(const Statement& s);
    void for_each_item(const Tokens& tokens);
    void region(const SplitNode& each);
    void statement(const Statement& s);
    void kept_value(const Variable& variable);
    void before(const Names& mentions, const Names& declared, bool calls);
    void after(const Names& writes);
    VariableLookup known() const;
    Names mentioned(const Tokens& tokens) const;
    Names written(const Tokens& tokens) const;
    static bool calls_program(const Tokens& tokens);

    const SplitKernel& kernel_;
    TextWriter& out_;
    ProgramWriter& writer_;
    std::string sizes_;
    std::vector<const SplitVariable*> order_; ///< of declaration
};

} // namespace devq::frontend
