#pragma once
// Random statements.

#include "expressions.hpp"

namespace devq::generated {

class Statements {
public:
    explicit Statements(std::uint32_t seed) : expressions(seed) {}

    Expressions expressions;

    /// Declarations of some of the variables that a kernel may have; they are in scope from then on.
    std::string variables();
    /// @param barriers all items of the group come here together
    void statements(std::string& out, unsigned depth, unsigned count, bool barriers);
    /// Before the end of a kernel: some items may end early.
    std::string last();

private:
    using Text = std::string;

    void statement(Text& out, unsigned depth, bool barriers);
    void assignment(Text& out, const Text& indent);
    void assign_vector(Text& out, const Text& indent);
    void own_control(Text& out, unsigned depth, const Text& indent);
    void call(Text& out, const Text& indent);
    void exchange(Text& out, const Text& indent);
    void common_control(Text& out, unsigned depth, const Text& indent);
    void common_loop(Text& out, unsigned depth, const Text& indent);

    unsigned pick(unsigned count) { return expressions.pick(count); }
    bool has_structs_ = false, in_kernel_ = false;
    unsigned names_ = 0; ///< of counters
};

} // namespace devq::generated
