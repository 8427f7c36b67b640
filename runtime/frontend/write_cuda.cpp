#include "prelude.hpp"
#include "text.hpp"
#include "write_program.hpp"

namespace devq::frontend {

namespace {

/// The kernel itself. Local memory comes as sizes; their places follow one another in dynamic shared memory.
void entry(TextWriter& out, const Function& kernel) {
    std::string parameters, arguments, body;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const Type& type = *kernel.parameters[i].type;
        const std::string number = std::to_string(i);
        const bool local = type.kind == Type::Kind::pointer && space_of(*type.element) == Space::local;
        const std::string written = concat({"devq_type<", declare(type, {}, false), ">"});
        const std::string_view comma = i ? ", " : "";
        parameters += concat({comma, local ? "unsigned" : written, " a", number});
        arguments += concat({comma, local ? "p" : "a", number});
        if (local)
            body += concat({"    const auto p", number, " = (", written, ")(devq_dynamic_memory + at);\n    at += (a",
                            number, " + 15u) / 16u * 16u;\n"});
    }
    const auto& group = kernel.required_group;
    const std::size_t items = group[0] * group[1] * group[2];
    const std::string bounds = items ? concat({"__launch_bounds__(", std::to_string(items), ") "}) : "";
    out.raw(concat({"extern \"C\" __global__ ", bounds, "void ", cuda_entry_name(kernel.name), "(", parameters, ") {\n",
                    body.empty() ? "" : "    unsigned at = 0;\n", body, "    devq_program p;\n    p.", kernel.cpp_name,
                    "(", arguments, ");\n}\n"}));
}

} // namespace

std::string write_cuda(const Module& module, const WriteOptions&) {
    TextWriter out(module.sources);
    out.raw(cuda_prelude);
    out.raw("#line 1 \"devq/generated.hpp\"\n");
    ProgramWriter(module.program, out).write();
    out.raw("#line 1 \"devq/entries.hpp\"\n");
    for (const Function& function : module.program.functions)
        if (function.is_kernel)
            entry(out, function);
    out.raw("DEVQ_UNIT_END\n");
    return out.take();
}

} // namespace devq::frontend
