#include "statements.hpp"

namespace devq::generated {

namespace {

const std::vector<std::string> assigns{" = ", " += ", " ^= ", " -= "};

} // namespace

std::string Statements::variables() {
    Expressions& e = expressions;
    Scope& scope = e.scope;
    in_kernel_ = true;
    std::string text = "    uint a = in[gid], b = lid, c = 7u, d = in[gid] >> 3, s = n, arr[4] = {1u, lid, n, 3u};\n";
    scope.u32 = {"a", "b", "c", "d"};
    scope.array = "arr";
    scope.uniform = {"n", "s", "(uint)get_group_id(0)"};
    const auto maybe = [&](std::vector<std::string>& names, const std::string& name, const std::string& type,
                           const std::string& value) {
        if (pick(4) != 0)
            return;
        text += joined({"    ", type, " ", name, " = ", value, ";\n"});
        names.push_back(name);
    };
    maybe(scope.i32, "p", "int", "(int)in[gid] >> 5");
    maybe(scope.i32, "q", "int", "gid - 20");
    maybe(scope.small, "h", "short", "(short)(a >> 9)");
    maybe(scope.small, "k", "char", "(char)lid");
    maybe(scope.small, "us", "ushort", "(ushort)a");
    maybe(scope.small, "uc", "uchar", "(uchar)(a >> 11)");
    maybe(scope.u64, "x", "ulong", "(ulong)a << 20");
    maybe(scope.i64, "y", "long", "(long)lid - 3L");
    maybe(scope.f32, "f", "float", "(float)(lid & 31u)");
    maybe(scope.f32, "g", "float", "(float)(a & 255u) - 100.5f");
    const Vector vectors[] = {{"uint", 4, "w"}, {"uint", 2, "v"},  {"ushort", 8, "u"}, {"uchar", 3, "m"},
                              {"int", 4, "z"},  {"float", 4, "r"}, {"ulong", 2, "l"},  {"int", 8, "z8"}};
    for (const Vector& vector : vectors)
        if (pick(6) == 0) {
            text += joined({"    ", vector.type(), " ", vector.name, " = (", vector.type(), ")((", vector.element,
                            ")(a & 127u)) + (", vector.type(), ")(1"});
            for (unsigned c = 1; c < vector.width; ++c)
                text += ", " + std::to_string(c * c);
            text += ");\n";
            scope.vectors.push_back(vector);
        }
    if (pick(4) == 0) {
        has_structs_ = true;
        text += "    State o = {a, 3, (uint2)(b, 1u), {1, 2, 3}};\n";
        scope.u32.push_back("o.a");
        scope.small.push_back("o.b");
        scope.vectors.push_back({"uint", 2, "o.v"});
        scope.small.push_back("o.c[1]");
    }
    return text;
}

void Statements::statements(std::string& out, unsigned depth, unsigned count, bool barriers) {
    for (unsigned i = 0; i < count; ++i)
        statement(out, depth, barriers);
}

void Statements::statement(std::string& out, unsigned depth, bool barriers) {
    const std::string indent(4 * depth, ' ');
    switch (pick(barriers ? 12 : 6)) {
    case 0:
    case 1:
        return assignment(out, indent);
    case 2:
        return assign_vector(out, indent);
    case 3:
        return call(out, indent);
    case 4:
    case 5:
        return depth > 2 ? assignment(out, indent) : own_control(out, depth, indent);
    case 6:
        out += joined({indent, "s = s * 3u + ", expressions.uniform(), ";\n"});
        return;
    case 7:
    case 8:
    case 9:
        return exchange(out, indent);
    default:
        return depth > 2 ? exchange(out, indent) : common_control(out, depth, indent);
    }
}

/// To one variable, or to two by a comma.
void Statements::assignment(std::string& out, const std::string& indent) {
    Expressions& e = expressions;
    const Scope& scope = e.scope;
    switch (pick(7)) {
    case 6: // += and ++ on them are computed in int, too
        if (!scope.small.empty()) {
            out += pick(4) == 0
                       ? joined({indent, e.one_of(scope.small), e.one_of({"++", "--"}), ";\n"})
                       : joined({indent, e.one_of(scope.small), e.one_of({" = ", " ^= ", " |= "}), e.i32(2), ";\n"});
            return;
        }
        break;
    case 0:
        if (!scope.i32.empty()) {
            out += joined({indent, e.one_of(scope.i32), " = ", e.i32(2), ";\n"});
            return;
        }
        break;
    case 1:
        if (!scope.f32.empty()) {
            out += joined({indent, e.one_of(scope.f32), " = clamp(", e.f32(2), ", -65536.0f, 65536.0f);\n"});
            return;
        }
        break;
    case 2:
        if (!scope.u64.empty()) {
            out += joined({indent, e.one_of(scope.u64), e.one_of(assigns), e.u64(2), ";\n"});
            return;
        }
        break;
    case 3:
        if (!scope.i64.empty()) {
            out += joined({indent, e.one_of(scope.i64), " = ", e.i64(2), ";\n"});
            return;
        }
        break;
    case 4:
        out += joined({indent, e.one_of(scope.u32), e.one_of(assigns), e.u32(2), ", ", e.one_of(scope.u32),
                       e.one_of(assigns), e.u32(2), ";\n"});
        return;
    default:
        break;
    }
    const std::string target = !scope.array.empty() && pick(4) == 0
                                   ? joined({scope.array, "[", e.one_of(scope.u32), " & 3u]"})
                                   : e.one_of(scope.u32);
    out += joined({indent, target, e.one_of(assigns), e.u32(2), ";\n"});
}

/// To a whole vector or to some of its components.
void Statements::assign_vector(std::string& out, const std::string& indent) {
    Expressions& e = expressions;
    if (e.scope.vectors.empty())
        return assignment(out, indent);
    const Vector& to = e.scope.vectors[pick(static_cast<unsigned>(e.scope.vectors.size()))];
    const bool wraps = to.element[0] == 'u';
    const std::string assign = wraps ? e.one_of(assigns) : " = ";
    const bool part = pick(2) != 0 && to.width != 3;
    const unsigned width = part ? to.width / 2 : to.width;
    const std::string value =
        width == 1 ? joined({"(", to.element, ")(", e.u32(2), " & 0xffu)"}) : e.vector(to.element, width, 1 + pick(2));
    std::string target = to.name;
    if (part && width > 1 && pick(3) == 0)
        target += e.one_of({".lo", ".hi", ".even", ".odd"});
    else if (part)
        target += "." + e.swizzle(to.width, width, true);
    if (to.element == "float" && width > 1)
        out += joined({indent, target, " = clamp(", value, ", -65536.0f, 65536.0f);\n"});
    else
        out += joined({indent, target, assign, value, ";\n"});
}

void Statements::call(std::string& out, const std::string& indent) {
    Expressions& e = expressions;
    if (!in_kernel_)
        return assignment(out, indent);
    switch (pick(has_structs_ ? 7 : 5)) {
    case 0:
        out += joined({indent, e.one_of({"a", "b", "c"}), " ^= f0(", e.u32(2), ", ", e.i32(2), ");\n"});
        return;
    case 1:
        out += joined(
            {indent, "f2(", e.one_of({"&a", "&d", "&arr[b & 3u]", "arr + 1"}), ", ", e.i32(2), ", ", e.u32(2), ");\n"});
        return;
    case 2:
        out += joined(
            {indent, "{ uint* at = arr + (", e.u32(1), " & 1u); *at ^= ", e.u32(2), "; at[1] += b; ++*(at + 2); }\n"});
        return;
    case 3:
        out += joined(
            {indent, "b += f1(", e.vector("uint", 4, 1), ", ", e.u32(1), ").", e.one_of({"x", "w", "s2"}), ";\n"});
        return;
    case 4:
        out += joined({indent, "vstore4(", e.vector("uint", 4, 1), " + vload4(0, arr), 0, arr);\n"});
        return;
    case 5:
        out += joined({indent, "touch(&o, ", e.u32(2), ");\n"});
        return;
    default:
        out += joined({indent, "o = turned(o, ", e.u32(2), ");\n"});
    }
}

std::string Statements::last() {
    switch (pick(4)) {
    case 0:
        return joined({"    if (", expressions.u32(2), " & 1u) { out[gid] = a; return; }\n"});
    case 1:
        return joined(
            {"    if (", expressions.uniform(), " & 1u) { out[gid] = b + s; return; }\n    s = s * 5u + n;\n"});
    default:
        return {};
    }
}

} // namespace devq::generated
