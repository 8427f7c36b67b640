#include "builtins.hpp"
#include "parser.hpp"
#include "text.hpp"
#include "tokens.hpp"
#include <array>
#include <cstdlib>

namespace devq::frontend {

namespace {

bool take_suffix(std::string& text, std::string_view suffix) {
    if (text.size() <= suffix.size() || text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0)
        return false;
    text.resize(text.size() - suffix.size());
    return true;
}

/// N of vloadN, vload_halfN, vloada_halfN; 0 for other names.
unsigned loaded_lanes(const std::string& name) {
    for (const std::string_view prefix : {"vload_half", "vloada_half", "vload"})
        if (name.compare(0, prefix.size(), prefix) == 0) {
            const int lanes = std::atoi(name.c_str() + prefix.size());
            return lanes > 1 && lanes <= 16 ? static_cast<unsigned>(lanes) : 0;
        }
    return 0;
}

} // namespace

/// A call of the function named by token i.
TypePtr Parser::call(std::size_t& i, Tokens& out) {
    const Token& name = token(i);
    const Symbol* symbol = lookup(name.text);
    const std::size_t open = i + 1;
    i = matching(open) + 1;
    if (symbol && symbol->kind == Symbol::Kind::function) {
        if (!function_)
            fail(name.at, "function '" + name.text + "' cannot be called outside functions");
        function_->calls.push_back({name.text, name.at});
        out.push_back(name);
        out.back().text = symbol->cpp_name;
        const TypePtr result = symbol->type;
        const std::optional<std::size_t> wanted = symbol->parameters;
        const std::vector<TypePtr> wanted_types = symbol->parameter_types;
        const std::vector<TypePtr> types = arguments(open, out, wanted_types);
        const std::size_t given = types.size();
        if (wanted && given != *wanted)
            fail(name.at, "function '" + name.text + "' takes " + std::to_string(*wanted) + " argument" +
                              (*wanted == 1 ? "" : "s") + ", " + std::to_string(given) + " given");
        if (wanted && wanted_types.size() == given)
            check_arguments(open, wanted_types, types);
        return result;
    }
    if (symbol && symbol->kind == Symbol::Kind::variable)
        fail(name.at, "'" + name.text + "' is a variable and cannot be called");
    if (symbol || starts_type(open - 1))
        fail(name.at, "a conversion is written (" + name.text + ")x or convert_" + name.text + "(x)");
    if (name.is("vec_step") && starts_type(open + 1)) {
        std::size_t after = open + 1;
        const TypePtr type = type_name(after);
        if (after != matching(open))
            fail(token(after).at, "'" + token(after).text + "' was not expected in a type");
        append(out, type->lanes == 3 ? "4" : std::to_string(type->lanes), name.at);
        return make_scalar(ScalarType::int_);
    }
    if (name.is("printf")) {
        i = open - 1;
        return print_call(i, out);
    }
    if (const std::string_view reason = unsupported_reason(name.text); !reason.empty())
        fail(name.at, std::string(reason));
    TypePtr result;
    if (conversion(name.text, name.at, out, result)) {
        arguments(open, out);
        return result;
    }
    if (!is_builtin_function(name.text))
        fail(name.at, "'" + name.text + "' is no function of this program and no built-in of OpenCL C 1.2" +
                          suggestion(name.text, names_in_scope(false)));
    if (is_work_item_function(name.text)) {
        if (function_ && is_barrier_function(name.text))
            function_->has_barrier = true;
        append(out, "devq_item.", name.at);
        out.back().space_before = name.space_before;
        out.push_back(name);
        out.back().space_before = false;
    } else {
        out.push_back(name);
    }
    const std::size_t emitted = out.size() - 1;
    const std::vector<TypePtr> types = arguments(open, out);
    if ((name.is("shuffle") || name.is("shuffle2")) && !types.empty() && types.back()) {
        const Type& mask = *types.back();
        const bool is_unsigned = mask.scalar == ScalarType::uchar || mask.scalar == ScalarType::ushort ||
                                 mask.scalar == ScalarType::uint || mask.scalar == ScalarType::ulong;
        std::size_t last = open + 1;
        for (std::size_t at = last; (at = find(at, ",")) < matching(open); ++at)
            last = at + 1;
        if (is_vector(mask) && !is_unsigned && has_known_type(last))
            fail(token(last).at, "the mask of '" + name.text + "' must be unsigned, this is '" + describe(mask) + "'");
    }
    if (name.is("async_work_group_strided_copy")) { // the stride is that of the side in global memory
        const bool in = !types.empty() && types[0] && types[0]->element && space_of(*types[0]->element) == Space::local;
        out[emitted].text = in ? "devq_copy_in" : "devq_copy_out";
    }
    if (host_forms_ && name.text.compare(0, 4, "atom") == 0 && !types.empty() && types[0] && types[0]->element &&
        space_of(*types[0]->element) == Space::local)
        out[emitted].text = "devq_local_" + name.text; // the group's threads are one
    return builtin_result(name.text, types);
}

/// C takes any pointer into the same memory for any other, and compilers of OpenCL C warn; C++ wants a cast.
/// @param start of the value in `out`
void Parser::cast_pointer(const TypePtr& to, const TypePtr& from, Tokens& out, std::size_t start, Position at) const {
    if (!to || !from || !needs_pointer_cast(*to, *from))
        return;
    Tokens cast;
    append(cast, concat({"(", declare(*to, {}, false), ")("}), at);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(start), cast.begin(), cast.end());
    append(out, ")", at);
}

/// @param wanted the parameters' types, where they are known
std::vector<TypePtr> Parser::arguments(std::size_t open, Tokens& out, const std::vector<TypePtr>& wanted) {
    const std::size_t close = matching(open);
    std::vector<TypePtr> types;
    out.push_back(token(open));
    for (std::size_t i = open + 1; i < close;) {
        const std::size_t comma = std::min(find(i, ","), close);
        const std::size_t start = out.size();
        types.push_back(rewrite_assignment(i, comma, out));
        as_int(i, comma, types.back(), out, start);
        if (types.size() <= wanted.size())
            cast_pointer(wanted[types.size() - 1], types.back(), out, start, token(i).at);
        if (comma < close)
            out.push_back(token(comma));
        i = comma + 1;
        if (comma < close && i == close)
            fail(token(comma).at, "an argument is missing after ','");
    }
    out.push_back(token(close));
    return types;
}

/// convert_T[_sat][_rtX] and as_T become templates of the preludes.
bool Parser::conversion(const std::string& name, Position at, Tokens& out, TypePtr& result) const {
    if (name.compare(0, 3, "as_") == 0) {
        result = builtin_type(name.substr(3));
        if (result)
            append(out, concat({"devq_as<", declare(*result, {}), ">"}), at);
        return result != nullptr;
    }
    if (name.compare(0, 8, "convert_") != 0)
        return false;
    std::string type = name.substr(8);
    int rounding = 0;
    constexpr std::array<std::string_view, 4> roundings{"_rte", "_rtz", "_rtp", "_rtn"};
    for (std::size_t i = 0; i < roundings.size() && rounding == 0; ++i)
        if (take_suffix(type, roundings[i]))
            rounding = static_cast<int>(i) + 1;
    const bool saturate = take_suffix(type, "_sat");
    result = builtin_type(type);
    if (result)
        append(out,
               concat({"devq_convert<", declare(*result, {}), saturate ? ", true, " : ", false, ",
                       std::to_string(rounding), ">"}),
               at);
    return result != nullptr;
}

/// As far as members and conditions need it: is the result a vector, and of how many components?
TypePtr Parser::builtin_result(const std::string& name, const std::vector<TypePtr>& arguments) const {
    if (returns_scalar(name))
        return make_scalar(ScalarType::float_);
    if (const unsigned lanes = loaded_lanes(name)) {
        const TypePtr pointer = arguments.size() == 2 ? arguments[1] : nullptr;
        const bool known = pointer && pointer->kind == Type::Kind::pointer &&
                           pointer->element->kind == Type::Kind::scalar && name.find("half") == std::string::npos;
        return make_vector(known ? pointer->element->scalar : ScalarType::float_, lanes);
    }
    if ((name == "shuffle" || name == "shuffle2") && !arguments.empty())
        return arguments.back();
    bool unknown = false;
    for (const TypePtr& type : arguments) {
        if (type && is_vector(*type))
            return type;
        unknown |= !type;
    }
    return unknown ? nullptr : make_scalar(ScalarType::float_);
}

} // namespace devq::frontend
