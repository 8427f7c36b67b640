// Random expressions of vectors.
#include "expressions.hpp"

namespace devq::generated {

namespace {

std::string signed_name(const std::string& element) {
    return element == "float" ? "int" : element[0] == 'u' ? element.substr(1) : element;
}

unsigned bits_of(const std::string& element) {
    return element.find("char") != element.npos    ? 8
           : element.find("short") != element.npos ? 16
           : element.find("long") != element.npos  ? 64
                                                   : 32;
}

} // namespace

std::string Expressions::swizzle(unsigned width, unsigned count, bool for_writing) {
    const char* const digits = "0123456789abcdef";
    std::string names = width <= 4 && pick(2) != 0 ? "" : "s";
    std::vector<bool> taken(width, false);
    for (unsigned i = 0; i < count; ++i) {
        unsigned component = pick(width);
        while (for_writing && taken[component])
            component = (component + 1) % width;
        taken[component] = true;
        names += names.starts_with("s") ? digits[component] : "xyzw"[component];
    }
    return names;
}

std::string Expressions::of_element(const std::string& element, unsigned depth) {
    if (element == "float")
        return f32(depth);
    if (element == "ulong")
        return u64(depth);
    if (element == "uint")
        return u32(depth);
    if (element == "int")
        return i32(depth);
    return joined({"(", element, ")(", pick(2) != 0 ? u32(depth) : i32(depth), ")"});
}

std::string Expressions::vector_leaf(const std::string& element, unsigned width, unsigned depth) {
    std::vector<const Vector*> fitting;
    for (const Vector& one : scope.vectors)
        if (one.element == element && one.width >= width)
            fitting.push_back(&one);
    if (!fitting.empty() && pick(4) != 0) {
        const Vector& from = *fitting[pick(static_cast<unsigned>(fitting.size()))];
        if (from.width == width && pick(3) != 0)
            return from.name;
        if (from.width == 2 * width && pick(2) != 0)
            return joined({from.name, one_of({".lo", ".hi", ".even", ".odd"})});
        return joined({from.name, ".", swizzle(from.width, width, false)});
    }
    const std::string type = element + std::to_string(width);
    if (pick(2) != 0 || width == 8)
        return joined({"(", type, ")(", of_element(element, depth), ")"});
    std::string result = joined({"(", type, ")(", of_element(element, depth)});
    for (unsigned i = 1; i < width; ++i)
        result += joined({", ", of_element(element, 0)});
    return result + ")";
}

std::string Expressions::unsigned_vector(const std::string& type, const std::string& x, const std::string& y,
                                         const std::string& shift, unsigned width) {
    switch (pick(9)) {
    case 0:
        return joined({"(", x, one_of({" / ", " % "}), "(", y, " | (", type, ")(1)))"});
    case 1:
        return joined({"(", x, one_of({" << ", " >> "}), "(", y, " & (", type, ")(", shift, ")))"});
    case 2:
        return joined({one_of({"min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate", "abs_diff"}),
                       "(", x, ", ", y, ")"});
    case 3:
        return joined({one_of({"popcount", "clz", "~", "abs"}), "(", x, ")"});
    case 4:
        if (width != 3)
            return joined({"shuffle(", x, ", ", y, " & (", type, ")(", std::to_string(width - 1), "))"});
        [[fallthrough]];
    default:
        return joined({"(", x, " ", one_of({"+", "-", "*", "^", "|", "&"}), " ", y, ")"});
    }
}

std::string Expressions::vector(const std::string& element, unsigned width, unsigned depth) {
    if (depth == 0 || pick(4) == 0)
        return vector_leaf(element, width, depth > 0 ? depth - 1 : 0);
    --depth;
    const std::string n = std::to_string(width), type = element + n, mask = signed_name(element) + n;
    const std::string x = vector(element, width, depth), y = vector(element, width, depth);
    switch (pick(6)) {
    case 0: // the condition is negative where it is true
        return joined({"select(", x, ", ", y, ", ", x, one_of({" > ", " <= ", " == "}), y, ")"});
    case 1:
        return joined({"(", y, one_of({" < ", " != "}), x, " ? ", x, " : ", y, ")"});
    case 2:
        if (element == "int")
            return joined(
                {"(", vector("uint", width, depth), one_of({" > ", " == "}), vector("uint", width, depth), ")"});
        if (element == "float")
            return joined({"convert_float", n, "(", vector("int", width, depth), " & (int", n, ")(1023))"});
        return joined({"convert_", type, one_of({"", "_sat"}), "(",
                       element == "uint" ? vector("ushort", width, depth) : vector("uint", width, depth), ")"});
    case 3:
        if (element == "int")
            return joined({"as_int", n, "(", vector("uint", width, depth), ")"});
        if (element == "uint")
            return joined({"as_uint", n, "(", vector("int", width, depth), ")"});
        if (element == "ushort" && width == 8)
            return joined({"as_ushort8(", vector("uint", 4, depth), ")"});
        if (element == "uchar" && width == 4)
            return joined({"as_uchar4(", u32(depth), ")"});
        [[fallthrough]];
    default:
        if (element == "float")
            return pick(3) != 0 ? joined({"(", x, one_of({" + ", " - "}), y, ")"})
                                : joined({one_of({"fmin", "fmax"}), "(", x, ", ", y, " * 2.0f)"});
        if (element == "int")
            return pick(3) != 0 ? joined({"(", x, one_of({" ^ ", " | ", " & "}), y, ")"})
                                : joined({one_of({"min", "max", "hadd", "add_sat"}), "(", x, ", ~", y, ")"});
        return unsigned_vector(type, x, y, std::to_string(bits_of(element) - 1), width);
    }
}

} // namespace devq::generated
