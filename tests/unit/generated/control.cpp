// Random control flow, and what items exchange across barriers.
#include "statements.hpp"

namespace devq::generated {

namespace {

const std::vector<std::string> assigns{" = ", " += ", " ^= ", " -= "};

std::string wait(const std::string& indent) { return indent + "barrier(CLK_LOCAL_MEM_FENCE);\n"; }

} // namespace

/// Of one item alone: without barriers.
void Statements::own_control(std::string& out, unsigned depth, const std::string& indent) {
    Expressions& e = expressions;
    const std::string counter = "j" + std::to_string(names_++);
    switch (pick(7)) {
    case 0:
    case 1:
        out += joined({indent, "if (", e.u32(2), " & 1u) {\n"});
        statements(out, depth + 1, 2, false);
        if (pick(2) != 0) {
            out += indent + "} else {\n";
            statements(out, depth + 1, 1, false);
        }
        break;
    case 2:
        out += joined({indent, "for (uint ", counter, " = 0; ", counter, " < (", e.one_of(e.scope.u32), " & 3u); ++",
                       counter, ") {\n"});
        statements(out, depth + 1, 1, false);
        if (pick(2) != 0)
            out += joined({indent, "    if (", e.u32(1), " & 1u) ", e.one_of({"break", "continue"}), ";\n"});
        statements(out, depth + 1, 1, false);
        break;
    case 3:
        out += joined({indent, "for (uint ", counter, " = 0, e", counter, " = ", e.u32(1), " & 7u; ", counter, " < e",
                       counter, "; ", counter, " += 2u, --e", counter, ") {\n"});
        statements(out, depth + 1, 1, false);
        break;
    case 4:
        out +=
            joined({indent, "uint ", counter, " = ", e.u32(1), " & 3u;\n", indent, "while (", counter, "-- > 0u) {\n"});
        statements(out, depth + 1, 1, false);
        break;
    case 5:
        out += joined({indent, "uint ", counter, " = ", e.u32(1), " & 3u;\n", indent, "do {\n"});
        statements(out, depth + 1, 1, false);
        out += joined({indent, "} while (++", counter, " < 4u);\n"});
        return;
    default:
        out += joined({indent, "switch (", e.u32(2), " & 3u) {\n", indent, "case 0: {\n"});
        statements(out, depth + 1, 1, false);
        out += joined({indent, "    break; }\n", indent, "case 2: {\n"});
        statements(out, depth + 1, 1, false);
        out += joined({indent, pick(2) != 0 ? "    break; }\n" : "}\n", indent, "default:;\n"});
        statements(out, depth + 1, 1, false);
    }
    out += indent + "}\n";
}

void Statements::exchange(std::string& out, const std::string& indent) {
    Expressions& e = expressions;
    const std::string to = e.one_of({"a", "b", "c", "d"});
    switch (pick(6)) {
    case 0:
        out += joined({indent, to, " ^= share(", e.u32(2), ", t, ", e.uniform(), ");\n"});
        return;
    case 1:
        out += joined({indent, "reverse(&", to, ", t);\n"});
        return;
    case 2: // a sum in any order
        out += joined({indent, "if (lid == 0u) sum = ", e.uniform(), ";\n", wait(indent), indent, "atomic_add(&sum, ",
                       e.u32(2), ");\n", wait(indent), indent, to, e.one_of(assigns), "sum;\n", wait(indent)});
        return;
    case 3:
        out += joined({indent, "t4[lid] = ", e.vector("uint", 4, 1), ";\n", wait(indent), indent, to, e.one_of(assigns),
                       "t4[(lid + ", e.uniform(), ") % size].", e.one_of({"x", "y", "z", "w"}), ";\n", wait(indent)});
        return;
    default:
        out += joined({indent, "t[lid] = ", e.u32(2), ";\n", wait(indent), indent, to, e.one_of(assigns), "t[(lid + ",
                       e.uniform(), ") % size];\n", wait(indent)});
    }
}

/// Of all items of a group together.
void Statements::common_control(std::string& out, unsigned depth, const std::string& indent) {
    Expressions& e = expressions;
    if (pick(2) != 0)
        return common_loop(out, depth, indent);
    out += joined({indent, "if (", e.uniform(), " & 1u) {\n"});
    statements(out, depth + 1, 2, true);
    if (pick(2) != 0) {
        out += indent + "} else {\n";
        statements(out, depth + 1, 1, true);
    }
    out += indent + "}\n";
}

void Statements::common_loop(std::string& out, unsigned depth, const std::string& indent) {
    Expressions& e = expressions;
    const std::string i = "i" + std::to_string(names_++), limit = std::to_string(1 + pick(3)) + "u";
    const unsigned kind = pick(4);
    if (kind == 0)
        out += joined({indent, "uint ", i, " = ", e.uniform(), " & 3u;\n", indent, "while (", i, " > 0u) {\n", indent,
                       "    --", i, ";\n"});
    else if (kind == 1)
        out += joined({indent, "uint ", i, " = 0;\n", indent, "do {\n", indent, "    ++", i, ";\n"});
    else
        out += joined({indent, "for (uint ", i, " = 0; ", i, " < ", limit, "; ", i, "++) {\n"});
    e.scope.uniform.push_back(i);
    statements(out, depth + 1, 2, true);
    if (pick(3) == 0)
        out += joined({indent, "    if (", e.uniform(), " & 1u) ", e.one_of({"break", "continue"}), ";\n"});
    statements(out, depth + 1, 1, true);
    if (pick(4) == 0) // what some items leave out, at the end of a turn
        out += joined({indent, "    if (", e.u32(2), " & 1u) continue;\n", indent, "    a += 3u;\n"});
    e.scope.uniform.pop_back();
    out += indent + (kind == 1 ? joined({"} while (", i, " < ", limit, ");\n"}) : std::string("}\n"));
}

} // namespace devq::generated
