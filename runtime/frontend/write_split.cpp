#include "split_writer.hpp"
#include "text.hpp"
#include <algorithm>

namespace devq::frontend {

SplitWriter::SplitWriter(const SplitKernel& kernel, TextWriter& out, ProgramWriter& writer)
    : kernel_(kernel), out_(out), writer_(writer) {
    const auto& group = kernel.copy.required_group;
    sizes_ = concat({"<", std::to_string(group[0]), ", ", std::to_string(group[1]), ", ", std::to_string(group[2]),
                     ">(devq_item, "});
    for (const auto& [name, variable] : kernel.variables)
        order_.push_back(&variable);
    std::sort(order_.begin(), order_.end(),
              [](const SplitVariable* a, const SplitVariable* b) { return a->order < b->order; });
}

void SplitWriter::write() {
    const Function& copy = kernel_.copy;
    out_.line(copy.at);
    out_.raw(concat({"DEVQ_MEMBER bool ", split_member(copy), "(", parameter_list(copy), ") {"}));
    local_memory_references(copy, out_);
    out_.raw(" bool devq_apart = false; devq_split_room devq_room(devq_item.dispatch);");
    for (const SplitVariable* each : order_)
        if (each->place == Place::kept)
            out_.raw(concat({" auto* const ", array_of(name_of(*each)), " = devq_room.take<devq_type<",
                             declare(*plain(each->variable->type), {}), ">>();"}));
    for (const SplitVariable* each : order_)
        if (each->place == Place::kept && each->is_parameter) {
            open_lambda(region_loop());
            out_.raw(concat({" ", array_of(name_of(*each)), "[devq_at] = ", name_of(*each), "; });"}));
        }
    nodes(kernel_.nodes);
    out_.raw(" return true; }\n");
}

void SplitWriter::nodes(const std::vector<SplitNode>& list) {
    for (const SplitNode& each : list)
        node(each);
}

void SplitWriter::node(const SplitNode& each) {
    switch (each.kind) {
    case SplitNode::Kind::region:
        region(each);
        break;
    case SplitNode::Kind::uniform:
        out_.line(each.statement->at);
        out_.raw(" ");
        writer_.statement(*each.statement);
        break;
    case SplitNode::Kind::branch:
        branch(each);
        break;
    case SplitNode::Kind::loop:
        loop(each);
        break;
    case SplitNode::Kind::block:
        out_.raw(" {");
        nodes(each.children);
        out_.raw(" }");
        break;
    case SplitNode::Kind::jump:
        out_.line(each.statement->at);
        if (each.statement->kind == Statement::Kind::return_)
            out_.raw(" return true;");
        else
            writer_.statement(*each.statement);
        break;
    case SplitNode::Kind::barrier:
        break;
    }
}

void SplitWriter::branch(const SplitNode& each) {
    out_.line(each.statement->at);
    if (each.uniform_condition) {
        out_.raw(" { const bool devq_yes = (");
        out_.tokens(each.statement->tokens);
        out_.raw(") ? true : false;");
    } else {
        out_.raw(" { const bool devq_yes = ");
        condition(*each.statement);
        out_.raw("; if (devq_apart) return false;");
    }
    out_.raw(" if (devq_yes)");
    node(each.children[0]);
    if (each.children.size() > 1) {
        out_.raw(" else");
        node(each.children[1]);
    }
    out_.raw(" }");
}

void SplitWriter::loop(const SplitNode& each) {
    const Statement& s = *each.statement;
    out_.raw(" {");
    if (each.children.size() > 1)
        node(each.children[0]);
    out_.line(s.at);
    if (s.kind == Statement::Kind::do_) {
        out_.raw(" do");
        node(each.children.back());
    }
    out_.raw(s.kind == Statement::Kind::for_ ? " for (; " : " while (");
    if (!each.uniform_condition)
        condition(s);
    else
        out_.tokens(s.tokens);
    if (s.kind == Statement::Kind::for_) {
        out_.raw("; ");
        if (each.uniform_step)
            out_.tokens(s.step);
        else
            for_each_item(s.step);
    }
    out_.raw(s.kind == Statement::Kind::do_ ? ");" : ")");
    if (s.kind != Statement::Kind::do_)
        node(each.children.back());
    if (!each.uniform_condition)
        out_.raw(" if (devq_apart) return false;");
    out_.raw(" }");
}

std::string split_member(const Function& kernel) { return concat({"devq_split_", kernel.name}); }

void write_split(const SplitKernel& kernel, TextWriter& out, ProgramWriter& writer) {
    SplitWriter(kernel, out, writer).write();
}

SplitRoom room_of(const SplitKernel& kernel) {
    SplitRoom room;
    for (const auto& [name, variable] : kernel.variables)
        if (variable.place == SplitVariable::Place::kept) {
            room.bytes_an_item += size_of(*variable.variable->type).value_or(0);
            room.bytes_a_group += split_alignment;
        }
    return room;
}

} // namespace devq::frontend
