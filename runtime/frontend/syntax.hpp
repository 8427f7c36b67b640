#pragma once
/// A parsed program: declarations and statements. Expressions are runs of tokens, already rewritten to C++ (names,
/// vector components, literals, conversions); what they need at run time is in the preludes.

#include "types.hpp"

namespace devq::frontend {

struct Variable {
    std::string name;     ///< as written
    std::string cpp_name; ///< in the C++ text
    TypePtr type;
    Position at;
    Tokens initializer;              ///< empty: none
    bool is_static_constant = false; ///< __constant, or const at program scope: lives outside the functions
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;

struct Statement {
    enum class Kind {
        block,       ///< children
        expression,  ///< tokens, may be empty
        declaration, ///< variables
        if_,         ///< tokens; children: then[, else]
        for_,        ///< children: initialiser (expression or declaration), body; tokens; step
        while_,      ///< tokens; child
        do_,         ///< child; tokens
        switch_,     ///< tokens; child
        case_,       ///< tokens; child
        default_,    ///< child
        label,       ///< name; child
        goto_,       ///< name
        return_,     ///< tokens, may be empty
        break_,
        continue_,
    };
    Kind kind = Kind::expression;
    Position at;
    Tokens tokens;
    Tokens step;
    std::string name;
    std::vector<StatementPtr> children;
    std::vector<Variable> variables;
    unsigned unroll = 0; ///< of a loop: 0 unsaid, 1 never, else how often
};

struct Call {
    std::string function;
    Position at;
};

struct Function {
    std::string name;
    std::string cpp_name;
    Position at;
    TypePtr result;
    std::vector<Variable> parameters;
    StatementPtr body; ///< null: only declared
    bool is_kernel = false;
    bool is_noinline = false; ///< __attribute__((noinline))
    bool has_barrier = false; ///< itself, not through what it calls
    std::array<std::size_t, 3> required_group{0, 0, 0};
    std::vector<Call> calls;            ///< of functions of the program
    std::vector<Variable> literals;     ///< large structs without a name, for what they take on the stack
    std::vector<Variable> local_memory; ///< the __local variables of a kernel
};

struct Program {
    std::vector<std::shared_ptr<Record>> records; ///< in the order of their definitions
    std::vector<Variable> constants;              ///< those of functions too, with unique names
    std::vector<Function> functions;              ///< with bodies
};

} // namespace devq::frontend
