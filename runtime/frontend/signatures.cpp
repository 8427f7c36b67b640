#include "module.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace devq::frontend {

namespace {

/// Who calls whom, by name (functions that share one are taken together).
class CallGraph {
public:
    CallGraph(const Sources& sources, const Program& program) : sources_(sources) {
        for (const Function& function : program.functions)
            functions_[function.name].push_back(&function);
        std::set<std::string> done;
        for (const Function& function : program.functions)
            visit(function.name, done);
    }

    bool reaches_barrier(const std::string& name) const { return barriers_.count(name) > 0; }

private:
    void visit(const std::string& name, std::set<std::string>& done) {
        if (!done.insert(name).second)
            return;
        open_.insert(name);
        for (const Function* function : functions_[name]) {
            bool barrier = function->has_barrier;
            for (const Call& call : function->calls) {
                check(call);
                visit(call.function, done);
                barrier |= reaches_barrier(call.function);
            }
            if (barrier)
                barriers_.insert(name);
        }
        open_.erase(name);
    }

    void check(const Call& call) const {
        const auto found = functions_.find(call.function);
        if (found == functions_.end())
            sources_.fail(call.at, "function '" + call.function + "' is declared but has no body");
        if (open_.count(call.function))
            sources_.fail(call.at,
                          "'" + call.function + "' calls itself, here or through others; recursion is not supported",
                          "Write it as a loop.");
        for (const Function* callee : found->second)
            if (callee->is_kernel && !callee->local_memory.empty())
                sources_.fail(call.at, "kernel '" + call.function + "' has __local variables and cannot be called",
                              "Move its body to a function that gets pointers to local memory.");
    }

    const Sources& sources_;
    std::map<std::string, std::vector<const Function*>> functions_;
    std::set<std::string> open_, barriers_;
};

bool is_forbidden_value(const Type& type) {
    return (type.kind == Type::Kind::scalar &&
            (type.scalar == ScalarType::boolean || type.scalar == ScalarType::half)) ||
           type.kind == Type::Kind::event || (type.kind == Type::Kind::vector && type.scalar == ScalarType::half);
}

/// Also of an array's elements; null: none.
const Type* forbidden_member(const Type& type) {
    if (type.kind == Type::Kind::array)
        return forbidden_member(*type.element);
    if (type.kind == Type::Kind::record && type.record)
        for (const auto& member : type.record->fields)
            if (const Type* found = forbidden_member(*member.type))
                return found;
    return is_forbidden_value(type) ? &type : nullptr;
}

Parameter describe_parameter(const Sources& sources, const Function& kernel, const Variable& variable) {
    Parameter result;
    result.name = variable.name;
    result.type = describe(*variable.type);
    const std::string who = "parameter '" + variable.name + "' of kernel '" + kernel.name + "'";
    const Type& type = *variable.type;
    if (type.kind == Type::Kind::pointer) {
        result.space = space_of(*type.element);
        if (type.element->kind == Type::Kind::pointer)
            sources.fail(variable.at, who + " is a pointer to pointers, which no host can fill in",
                         "Pass one buffer and offsets into it.");
        if (result.space == Space::value)
            sources.fail(variable.at, who + " points to private memory", "Make it __global, __constant or __local.");
        result.is_const = is_const_object(*type.element);
        result.kind = value_kind(*type.element);
        result.size = size_of(*type.element).value_or(0);
        return result;
    }
    if (is_forbidden_value(type))
        sources.fail(variable.at, who + " cannot have type '" + describe(type) + "'",
                     "Its size differs between hosts and devices: use int, float or a pointer.");
    if (const Type* member = forbidden_member(type))
        sources.fail(variable.at, who + " holds a member of type '" + describe(*member) + "'",
                     "Its size differs between hosts and devices: use int, uchar, ushort or float.");
    if (contains_address_size(type))
        sources.fail(variable.at,
                     who + (type.kind == Type::Kind::record ? " holds a size_t" : " is a size_t") + " or ptrdiff_t",
                     "Its size differs between devices: use ulong, long, uint or int.");
    if (contains_pointer(type))
        sources.fail(variable.at, who + " is a struct that holds pointers", "Pass each pointer as its own parameter.");
    const std::optional<std::size_t> size = size_of(type);
    if (!size || *size == 0)
        sources.fail(variable.at, who + " has an incomplete type");
    result.kind = value_kind(type);
    result.size = *size;
    return result;
}

} // namespace

std::vector<KernelSignature> make_signatures(const Sources& sources, const Program& program) {
    const CallGraph calls(sources, program);
    std::vector<KernelSignature> result;
    for (const Function& function : program.functions) {
        if (!function.is_kernel)
            continue;
        if (function.result->kind != Type::Kind::void_)
            sources.fail(function.at, "kernel '" + function.name + "' must return void");
        KernelSignature signature;
        signature.name = function.name;
        signature.required_group = function.required_group;
        signature.uses_barrier = calls.reaches_barrier(function.name);
        for (const Variable& variable : function.parameters)
            signature.parameters.push_back(describe_parameter(sources, function, variable));
        std::size_t alignment = 1;
        for (const Variable& variable : function.local_memory) {
            const std::size_t own = alignment_of(*variable.type);
            alignment = std::max(alignment, own);
            signature.local_bytes = (signature.local_bytes + own - 1) / own * own + size_of(*variable.type).value_or(0);
        }
        signature.local_bytes = (signature.local_bytes + alignment - 1) / alignment * alignment;
        result.push_back(std::move(signature));
    }
    return result;
}

} // namespace devq::frontend
