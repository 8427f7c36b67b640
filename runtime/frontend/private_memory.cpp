#include "module.hpp"
#include <algorithm>
#include <map>

namespace devq::frontend {

namespace {

/// An upper estimate of what a work-item keeps on its stack, and the largest variable in it, for the message.
struct Frame {
    std::size_t bytes = 0;
    const Variable* largest = nullptr;
    std::size_t largest_bytes = 0;

    void add(const Variable& variable) {
        const std::size_t size = size_of(*variable.type).value_or(0);
        bytes = saturated(bytes, size);
        note(variable, size);
    }
    void add_bytes(std::size_t more) { bytes = saturated(bytes, more); }
    void add(const Frame& inner) {
        bytes = saturated(bytes, inner.bytes);
        if (inner.largest != nullptr)
            note(*inner.largest, inner.largest_bytes);
    }

private:
    static std::size_t saturated(std::size_t a, std::size_t b) { return a + b < a ? ~std::size_t{0} : a + b; }
    void note(const Variable& variable, std::size_t size) {
        if (largest == nullptr || size > largest_bytes) {
            largest = &variable;
            largest_bytes = size;
        }
    }
};

class Frames {
public:
    explicit Frames(const Program& program) {
        for (const Function& function : program.functions)
            functions_[function.name].push_back(&function);
    }

    /// Of a function with the deepest of what it calls. Programs do not recurse.
    const Frame& of(const std::string& name) {
        const auto known = done_.find(name);
        if (known != done_.end())
            return known->second;
        Frame worst;
        for (const Function* function : functions_[name]) {
            Frame own = of(*function->body);
            for (const Variable& parameter : function->parameters)
                own.add(parameter);
            for (const Variable& literal : function->literals)
                own.add(literal);
            Frame deepest;
            for (const Call& call : function->calls) // what a call answers lies on the stack, too
                own.add_bytes(result_bytes(call.function));
            for (const Call& call : function->calls)
                if (const Frame& callee = of(call.function); callee.bytes > deepest.bytes)
                    deepest = callee;
            own.add(deepest);
            if (own.bytes >= worst.bytes)
                worst = own;
        }
        return done_[name] = worst;
    }

private:
    /// Of a struct that a function returns; numbers and vectors travel in registers.
    std::size_t result_bytes(const std::string& name) {
        std::size_t most = 0;
        for (const Function* function : functions_[name])
            if (function->result->kind == Type::Kind::record)
                most = std::max(most, size_of(*function->result).value_or(0));
        return most;
    }

    /// Blocks side by side use the same room.
    static Frame of(const Statement& statement) {
        Frame own, deepest;
        for (const Variable& variable : statement.variables)
            if (space_of(*variable.type) != Space::local || variable.type->kind == Type::Kind::pointer)
                own.add(variable);
        for (const StatementPtr& child : statement.children) {
            const Frame inner = of(*child);
            if (child->kind == Statement::Kind::declaration)
                own.add(inner);
            else if (inner.bytes > deepest.bytes)
                deepest = inner;
        }
        own.add(deepest);
        return own;
    }

    std::map<std::string, std::vector<const Function*>> functions_;
    std::map<std::string, Frame> done_;
};

} // namespace

void check_private_memory(const Sources& sources, const Program& program) {
    Frames frames(program);
    for (const Function& function : program.functions) {
        if (!function.is_kernel)
            continue;
        const Frame& frame = frames.of(function.name);
        if (frame.bytes > most_private_bytes)
            sources.fail(frame.largest->at,
                         "a work-item of kernel '" + function.name + "' would need " + std::to_string(frame.bytes) +
                             " bytes of private memory, " + std::to_string(frame.largest_bytes) + " of them for '" +
                             frame.largest->name + "'; " + std::to_string(most_private_bytes) + " are the most",
                         "Make it smaller, share it in __local memory, or pass a __global buffer with a part for each "
                         "work-item.");
    }
}

} // namespace devq::frontend
