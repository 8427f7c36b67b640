#include "expressions.hpp"

namespace devq::generated {

std::string joined(std::initializer_list<std::string> parts) {
    std::string result;
    for (const std::string& part : parts)
        result += part;
    return result;
}

std::string Expressions::uniform(unsigned depth) {
    if (depth == 0 || pick(3) == 0)
        return pick(4) == 0 ? literal() : one_of(scope.uniform);
    return joined(
        {"(", uniform(depth - 1), " ", one_of({"+", "-", "*", "^", "&", ">>"}), " ", uniform(depth - 1), ")"});
}

std::string Expressions::u32_leaf() {
    switch (pick(scope.array.empty() ? 5 : 6)) {
    case 0:
        return literal();
    case 1:
        return scope.uniform.empty() ? literal() : uniform(1);
    case 2:
        if (!scope.vectors.empty()) {
            const Vector& from = scope.vectors[pick(static_cast<unsigned>(scope.vectors.size()))];
            const std::string component = joined({from.name, ".s", std::to_string(pick(from.width))});
            return from.element == "float" ? joined({"(uint)(int)clamp(", component, ", -9999.0f, 9999.0f)"})
                                           : "(uint)" + component;
        }
        return one_of(scope.u32);
    case 5:
        return joined({scope.array, "[", one_of(scope.u32), " & 3u]"});
    default:
        return one_of(scope.u32);
    }
}

std::string Expressions::u32(unsigned depth) {
    if (depth == 0 || pick(4) == 0)
        return u32_leaf();
    --depth;
    switch (pick(20)) {
    case 16: // a small negative number becomes a large one
        if (!scope.small.empty())
            return joined({"(", u32(depth), one_of({" + ", " * ", " ^ "}), one_of(scope.small), ")"});
        [[fallthrough]];
    case 0:
        return joined({"(", u32(depth), one_of({" / ", " % "}), "(", u32(depth), " | 1u))"});
    case 1:
        return joined({"(", u32(depth), one_of({" << ", " >> "}), "(", u32(depth), " & 31u))"});
    case 2: // counts of 32 and more are taken modulo 32
        return joined({"(", u32(depth), one_of({" << ", " >> "}), one_of(scope.u32), ")"});
    case 3:
        return joined(
            {"(", u32(depth), one_of({" > ", " <= ", " == "}), u32(depth), " ? ", u32(depth), " : ", u32_leaf(), ")"});
    case 4:
        return joined({one_of({"min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate", "abs_diff"}),
                       "(", u32(depth), ", ", u32(depth), ")"});
    case 5:
        return joined({one_of({"popcount", "clz", "abs"}), "(", u32(depth), ")"});
    case 6:
        return joined({one_of({"bitselect", "mad_hi", "mad_sat", "select"}), "(", u32(depth), ", ", u32_leaf(), ", ",
                       u32_leaf(), ")"});
    case 7:
        return joined({one_of({"(uint)", "convert_uint_sat", "as_uint"}), "(", i32(depth), ")"});
    case 8:
        return joined({"convert_uint", one_of({"_sat", "_sat_rte", "_sat_rtp"}), "(", f32(depth), ")"});
    case 9:
        return joined({"(uint)(", u64(depth), ")"});
    case 10: // the signed operand becomes unsigned
        return joined({"(", u32(depth), one_of({" + ", " - ", " * "}), i32(depth), ")"});
    case 11:
        return joined({"(uint)(", i32(depth), one_of({" < ", " >= ", " != "}), i32(depth), ")"});
    case 12:
        return joined({"(uint)(", f32(depth), one_of({" < ", " >= "}), f32(depth), ")"});
    case 13:
        return joined({"upsample((ushort)(", u32(depth), "), (ushort)(", u32_leaf(), "))"});
    case 14:
        return joined({"as_uint(", vector("uchar", 4, depth), ")"});
    case 15:
        return joined({"mul24(", u32(depth), " & 4095u, ", u32_leaf(), " & 4095u)"});
    default:
        return joined({"(", u32(depth), " ", one_of({"+", "-", "*", "^", "|", "&"}), " ", u32(depth), ")"});
    }
}

std::string Expressions::i32_leaf() {
    switch (pick(4)) {
    case 0:
        return joined({"(", std::to_string(static_cast<int>(pick(100)) - 50), ")"});
    case 2:
        if (!scope.small.empty())
            return "(int)" + one_of(scope.small);
        [[fallthrough]];
    case 1:
        return "(int)" + one_of(scope.u32);
    default:
        return scope.i32.empty() ? "(int)" + literal() : one_of(scope.i32);
    }
}

std::string Expressions::i32(unsigned depth) {
    if (depth == 0 || pick(4) == 0)
        return i32_leaf();
    --depth;
    switch (pick(18)) {
    case 14: // promoted to int
        if (!scope.small.empty())
            return joined(
                {"(", one_of(scope.small), one_of({" + ", " - ", " ^ ", " < ", " == "}), one_of(scope.small), ")"});
        [[fallthrough]];
    case 0:
        return joined({"((", i32(depth), " & 0xffff)", one_of({" + ", " - "}), "(", i32(depth), " & 0xffff))"});
    case 1:
        return joined({"((", i32(depth), " & 0x7fff) * (", i32(depth), " & 0x7fff))"});
    case 2:
        return joined({"(", i32(depth), one_of({" / ", " % "}), "((", i32(depth), " & 15) + 1))"});
    case 3:
        return joined({"(", i32(depth), " >> (", i32(depth), " & 31))"});
    case 4:
        return joined(
            {"(", i32(depth), one_of({" < ", " >= ", " == "}), i32(depth), " ? ", i32(depth), " : ", i32_leaf(), ")"});
    case 5:
        return joined({one_of({"min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate"}), "(",
                       i32(depth), ", ", i32(depth), ")"});
    case 6:
        return joined({one_of({"popcount", "clz", "(int)abs", "~", "!", "(int)(short)", "(int)(char)", "(int)(uchar)",
                               "(int)(ushort)"}),
                       "(", i32(depth), ")"});
    case 7:
        return joined({"clamp(", i32(depth), ", -", std::to_string(pick(300)), ", ", std::to_string(pick(300)), ")"});
    case 8:
        return joined(
            {one_of({"convert_int_sat", "(int)convert_short_sat", "(int)convert_char_sat", "(int)convert_uchar_sat"}),
             "(", pick(2) != 0 ? i64(depth) : u32(depth), ")"});
    case 9:
        return joined({one_of({"convert_int_sat", "convert_int_sat_rte", "(int)convert_short_sat_rtn",
                               "(int)convert_uchar_sat_rtp"}),
                       "(", f32(depth), ")"});
    case 10:
        return joined({"(", i32(depth), one_of({" && ", " || "}), i32(depth), ")"});
    case 11:
        return joined({"select(", i32(depth), ", ", i32_leaf(), ", ", i32(depth), ")"});
    case 12:
        return joined({"as_int(", vector("ushort", 2, depth), ")"});
    case 13:
        return joined({one_of({"any", "all"}), "(", vector("int", 4, depth), ")"});
    default:
        return joined({"(", i32(depth), " ", one_of({"^", "|", "&"}), " ", i32(depth), ")"});
    }
}

std::string Expressions::u64(unsigned depth) {
    if (depth == 0 || scope.u64.empty() || pick(4) == 0)
        return scope.u64.empty() || pick(2) != 0 ? "(ulong)" + one_of(scope.u32) : one_of(scope.u64);
    --depth;
    switch (pick(8)) {
    case 0:
        return joined({"upsample(", u32(depth), ", ", u32(depth), ")"});
    case 1:
        return joined({"(", u64(depth), one_of({" >> ", " << "}), "(", u32_leaf(), " & 63u))"});
    case 2:
        return joined(
            {one_of({"min", "max", "rotate", "mul_hi", "add_sat", "hadd"}), "(", u64(depth), ", ", u64(depth), ")"});
    case 3:
        return joined({"(", u64(depth), one_of({" / ", " % "}), "(", u64(depth), " | 1UL))"});
    case 4:
        return joined({one_of({"convert_ulong_sat", "(ulong)", "as_ulong"}), "(", i64(depth), ")"});
    case 5:
        return joined({"as_ulong(", vector("uint", 2, depth), ")"});
    default:
        return joined({"(", u64(depth), " ", one_of({"+", "-", "*", "^", "|"}), " ", u64(depth), ")"});
    }
}

std::string Expressions::i64(unsigned depth) {
    if (depth == 0 || scope.i64.empty() || pick(4) == 0)
        return scope.i64.empty() || pick(2) != 0 ? joined({"(long)", i32_leaf()}) : one_of(scope.i64);
    --depth;
    switch (pick(6)) {
    case 0:
        return joined(
            {"((", i64(depth), " & 0xffffffffL)", one_of({" + ", " - "}), "(", i64(depth), " & 0xffffffffL))"});
    case 1:
        return joined({"((", i64(depth), " & 0x7fffffffL) * (", i64(depth), " & 0x7fffffffL))"});
    case 2:
        return joined({"(", i64(depth), " >> (", i32(depth), " & 63))"});
    case 3:
        return joined({one_of({"min", "max", "add_sat", "sub_sat", "hadd"}), "(", i64(depth), ", ", i64(depth), ")"});
    case 4:
        return joined({"convert_long_sat(", f32(depth), ")"});
    default:
        return joined({"(", i64(depth), " ", one_of({"^", "|", "&"}), " ", i64(depth), ")"});
    }
}

std::string Expressions::f32(unsigned depth) {
    if (depth == 0 || scope.f32.empty() || pick(4) == 0) {
        if (scope.f32.empty() || pick(3) == 0)
            return pick(2) != 0 ? joined({"(float)(", i32_leaf(), " & 1023)"})
                                : joined({std::to_string(pick(64)), ".25f"});
        return one_of(scope.f32);
    }
    --depth;
    switch (pick(9)) {
    case 0: // exact, so that it may be fused with what is added
        return joined({"(", f32(depth), " * ", one_of({"2.0f", "0.5f", "4.0f"}), ")"});
    case 1:
        return joined({one_of({"fmin", "fmax", "min", "max"}), "(", f32(depth), ", ", f32(depth), ")"});
    case 2:
        return joined({one_of({"floor", "ceil", "trunc", "rint", "round", "fabs"}), "(", f32(depth), ")"});
    case 3:
        return joined({"(", f32(depth), one_of({" < ", " >= "}), f32(depth), " ? ", f32(depth), " : ", f32(0), ")"});
    case 4:
        return joined({"convert_float", one_of({"", "_rte", "_rtz", "_rtp", "_rtn"}), "(",
                       pick(2) != 0 ? i32(depth) : u32(depth), ")"});
    case 5:
        return joined({"fma(", f32(depth), ", ", f32(0), ", ", f32(0), ")"});
    case 6:
        return joined({"select(", f32(depth), ", ", f32(0), ", ", i32(depth), ")"});
    default:
        return joined({"(", f32(depth), one_of({" + ", " - "}), f32(depth), ")"});
    }
}

} // namespace devq::generated
