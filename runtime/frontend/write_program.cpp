#include "write_program.hpp"
#include "builtins.hpp"
#include "text.hpp"

namespace devq::frontend {

namespace {

bool has_jump_in(const Statement& statement) {
    if (statement.kind == Statement::Kind::goto_)
        return true;
    for (const StatementPtr& child : statement.children)
        if (has_jump_in(*child))
            return true;
    return false;
}

} // namespace

std::string local_struct(const Function& kernel) { return "devq_local_" + kernel.name; }

std::string parameter_list(const Function& function) {
    std::string result;
    for (const Variable& parameter : function.parameters)
        result += concat({result.empty() ? "" : ", ", declare(*parameter.type, parameter.cpp_name)});
    return result;
}

void local_memory_references(const Function& kernel, TextWriter& out) {
    if (!kernel.local_memory.empty())
        out.raw(concat({" DEVQ_LOCAL_MEMORY(", local_struct(kernel), ");"}));
    for (const Variable& variable : kernel.local_memory)
        out.raw(concat({" auto& ", variable.cpp_name, " = devq_local.", variable.cpp_name, ";"}));
}

void ProgramWriter::write(const std::function<void(ProgramWriter&)>& members) {
    for (const auto& each : program_.records)
        record(*each);
    for (const Variable& each : program_.constants)
        constant(each);
    for (const Function& each : program_.functions)
        local_memory(each);
    out_.raw("\nDEVQ_PROGRAM_BEGIN\n");
    for (const Function& each : program_.functions)
        function(each);
    jumps_ = false;
    if (members)
        members(*this);
    out_.raw("\nDEVQ_PROGRAM_END\n");
}

void ProgramWriter::record(const Record& record) {
    out_.line(record.at);
    const std::string_view word = record.is_union ? "union" : "struct";
    out_.raw(concat({word, record.attributes, " ", record.cpp_name, " {"}));
    for (const Field& field : record.fields)
        out_.raw(concat({" ", declare(*field.type, cpp_name(field.name)), ";"}));
    out_.raw(concat({" };\nstatic_assert(sizeof(", word, " ", record.cpp_name,
                     ") == ", std::to_string(record.size == 0 ? 1 : record.size), ", \"layout\");\n"}));
}

void ProgramWriter::constant(const Variable& variable) {
    out_.line(variable.at);
    out_.raw(concat({"DEVQ_CONSTANT ", declare(*variable.type, variable.cpp_name, false), " = "}));
    out_.tokens(variable.initializer);
    out_.raw(";\n");
}

void ProgramWriter::local_memory(const Function& function) {
    if (function.local_memory.empty())
        return;
    out_.line(function.at);
    out_.raw(concat({"struct ", local_struct(function), " {"}));
    for (const Variable& variable : function.local_memory)
        out_.raw(concat({" ", declare(*variable.type, variable.cpp_name), ";"}));
    out_.raw(" };\n");
}

void ProgramWriter::function(const Function& function) {
    out_.line(function.at);
    const std::string head = concat({function.cpp_name, "(", parameter_list(function), ")"});
    out_.raw(
        concat({function.is_noinline ? "DEVQ_SEPARATE_MEMBER " : "DEVQ_MEMBER ", declare(*function.result, head)}));
    out_.raw(" {");
    local_memory_references(function, out_);
    jumps_ = has_jump_in(*function.body);
    for (const StatementPtr& child : function.body->children)
        statement(*child);
    out_.raw(" }\n");
}

void ProgramWriter::statement(const Statement& s) {
    using Kind = Statement::Kind;
    out_.line(s.at);
    switch (s.kind) {
    case Kind::block:
        out_.raw("{");
        for (const StatementPtr& child : s.children)
            statement(*child);
        out_.raw(" }");
        break;
    case Kind::expression:
        out_.tokens(s.tokens);
        out_.raw(";");
        break;
    case Kind::declaration:
        declaration(s);
        break;
    case Kind::if_:
        out_.raw("if (");
        out_.tokens(s.tokens);
        out_.raw(")");
        body(*s.children[0]);
        if (s.children.size() > 1) {
            out_.raw(" else");
            body(*s.children[1]);
        }
        break;
    case Kind::for_:
    case Kind::while_:
    case Kind::do_:
        loop(s);
        break;
    case Kind::switch_: {
        out_.raw("switch (");
        out_.tokens(s.tokens);
        out_.raw(")");
        const bool outer = jumps_;
        jumps_ = true;
        body(*s.children[0]);
        jumps_ = outer;
        break;
    }
    case Kind::case_:
    case Kind::default_:
        out_.raw(s.kind == Kind::case_ ? "case " : "default");
        out_.tokens(s.tokens);
        out_.raw(":");
        if (!s.children.empty())
            statement(*s.children[0]);
        else
            out_.raw(";");
        break;
    case Kind::label:
        out_.raw(s.name + ":");
        statement(*s.children[0]);
        break;
    case Kind::goto_:
        out_.raw(concat({"goto ", s.name, ";"}));
        break;
    case Kind::return_:
        out_.raw(s.tokens.empty() ? "return" : "return ");
        out_.tokens(s.tokens);
        out_.raw(";");
        break;
    case Kind::break_:
        out_.raw("break;");
        break;
    case Kind::continue_:
        out_.raw("continue;");
        break;
    }
}

/// The statement that an if or a loop governs: in braces, since one statement may become several.
void ProgramWriter::body(const Statement& s) {
    if (s.kind == Statement::Kind::block) {
        statement(s);
        return;
    }
    out_.raw(" {");
    statement(s);
    out_.raw(" }");
}

void ProgramWriter::loop(const Statement& s) {
    const std::string unroll = s.unroll ? concat({"DEVQ_UNROLL(", std::to_string(s.unroll), ") "}) : "";
    if (s.kind == Statement::Kind::for_) {
        const Statement& first = *s.children[0];
        const bool declares = first.kind == Statement::Kind::declaration;
        if (declares) { // apart, since one for cannot declare a number and a pointer
            out_.raw("{");
            declaration(first);
            out_.raw(" ");
        }
        out_.raw(unroll + "for (");
        if (!declares)
            out_.tokens(first.tokens);
        out_.raw("; ");
        out_.tokens(s.tokens);
        out_.raw("; ");
        out_.tokens(s.step);
        out_.raw(")");
        body(*s.children[1]);
        out_.raw(declares ? " }" : "");
    } else if (s.kind == Statement::Kind::while_) {
        out_.raw(unroll + "while (");
        out_.tokens(s.tokens);
        out_.raw(")");
        body(*s.children[0]);
    } else {
        out_.raw(unroll + "do");
        body(*s.children[0]);
        out_.raw(" while (");
        out_.tokens(s.tokens);
        out_.raw(");");
    }
}

void ProgramWriter::declaration(const Statement& s) {
    bool first = true;
    for (const Variable& each : s.variables) {
        if (space_of(*each.type) == Space::local && each.type->kind != Type::Kind::pointer)
            continue; // a reference made at the kernel's start
        if (!first) {
            out_.line(each.at);
        }
        first = false;
        variable(each);
    }
}

void ProgramWriter::variable(const Variable& v) {
    const bool apart = jumps_ && !v.initializer.empty() && !is_const_object(*v.type) && !v.initializer[0].is("{");
    out_.raw(declare(*v.type, v.cpp_name));
    if (apart)
        out_.raw(concat({"; ", v.cpp_name}));
    if (!v.initializer.empty()) {
        out_.raw(" = ");
        out_.tokens(v.initializer);
    }
    out_.raw(";");
}

} // namespace devq::frontend
