#include "builtins.hpp"
#include "parser.hpp"
#include "text.hpp"
#include "tokens.hpp"
#include <algorithm>
#include <numeric>

namespace devq::frontend {

namespace {

/// The components that `name` selects (.xyz, .s0a, .hi of 8): empty where it selects none.
std::vector<unsigned> numbered_components(const std::string& name) {
    std::vector<unsigned> result;
    if (name.size() > 1 && name.size() <= 17 && (name[0] == 's' || name[0] == 'S')) {
        constexpr std::string_view digits = "0123456789abcdef";
        for (std::size_t i = 1; i < name.size(); ++i) {
            const char lower = name[i] >= 'A' && name[i] <= 'F' ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
            const std::size_t digit = digits.find(lower);
            if (digit == std::string_view::npos)
                return {};
            result.push_back(static_cast<unsigned>(digit));
        }
        return result;
    }
    if (name.size() > 4)
        return {};
    for (const char c : name) {
        const std::size_t which = std::string_view("xyzw").find(c);
        if (which == std::string_view::npos)
            return {};
        result.push_back(static_cast<unsigned>(which));
    }
    return result;
}

bool is_half_name(const std::string& name) { return name == "lo" || name == "hi" || name == "even" || name == "odd"; }

bool is_component_name(const std::string& name) { return is_half_name(name) || !numbered_components(name).empty(); }

/// Those that go through operators of the preludes, which no reference to a compiler vector's lane can be given to.
bool is_guarded_assignment(const Token& token) {
    return token.is("/=") || token.is("%=") || token.is("<<=") || token.is(">>=");
}

bool is_lane_count(std::size_t count) { return count == 2 || count == 3 || count == 4 || count == 8 || count == 16; }

} // namespace

/// `.name` or `->name` after an operand of `type`.
TypePtr Parser::member(TypePtr type, std::size_t& i, std::size_t end, Tokens& out) {
    const Token& op = token(i);
    const Token& name = token(i + 1);
    if (i + 1 >= end || !name.is_identifier())
        fail(op.at, "expected the name of a member after '" + op.text + "'");
    if (type && op.is("->")) {
        if (type->kind != Type::Kind::pointer && type->kind != Type::Kind::array)
            fail(op.at, "'->' needs a pointer, this is '" + describe(*type) + "'; use '.'");
        type = type->element;
    } else if (type && type->kind == Type::Kind::pointer) {
        fail(op.at, "'.' cannot follow a pointer; use '->'");
    }
    const bool vector = type ? is_vector(*type) : is_component_name(name.text) && !is_field_name(name.text);
    if (vector)
        return component(type, i, end, out);
    TypePtr result;
    out.push_back(op);
    if (type) {
        if (type->kind != Type::Kind::record)
            fail(name.at, "'" + describe(*type) + "' has no members");
        const std::vector<const Field*> path = find_member(*type->record, name.text);
        if (path.empty())
            fail(name.at, "'" + describe(*type) + "' has no member '" + name.text + "'");
        for (std::size_t step = 0; step + 1 < path.size(); ++step)
            append(out, concat({cpp_name(path[step]->name), "."}), name.at);
        result = path.back()->type;
        if (type->is_const && result->kind != Type::Kind::array)
            result = std::make_shared<const Type>(*result);
    }
    out.push_back(name);
    out.back().text = cpp_name(name.text);
    i += 2;
    return result;
}

/// The lanes that `name` selects of the lanes `from`.
std::vector<unsigned> Parser::selected(const std::string& name, const std::vector<unsigned>& from, Position at) const {
    const std::vector<unsigned> numbers = numbered_components(name);
    const std::string type = "a vector of " + std::to_string(from.size());
    if (numbers.empty() && (!is_half_name(name) || from.size() < 2))
        fail(at, "'" + name + "' selects nothing of " + type,
             "Components are .x .y .z .w, .s0 to .sf, .lo .hi .even .odd.");
    std::vector<unsigned> result;
    for (const unsigned number : numbers) {
        if (number >= from.size())
            fail(at, type + " has no component '" + name + "'");
        result.push_back(from[number]);
    }
    const std::size_t half = (from.size() + 1) / 2; // of three: .hi is the third and one that is undefined
    const bool second = name == "hi" || name == "odd", alternate = name == "even" || name == "odd";
    for (std::size_t i = 0; numbers.empty() && i < half; ++i)
        result.push_back(
            from[std::min(alternate ? 2 * i + (second ? 1 : 0) : i + (second ? half : 0), from.size() - 1)]);
    return result;
}

/// Components of a vector: one is `.v[n]`, which can be read and written; several are read as .get(…) and written as
/// .ref(…), which answers an object to assign to. Components of components become those of the whole vector.
TypePtr Parser::component(const TypePtr& type, std::size_t& i, std::size_t end, Tokens& out) {
    if (!type)
        return unknown_component(i, end, out);
    const Position at = token(i + 1).at;
    std::vector<unsigned> lanes(type->lanes);
    std::iota(lanes.begin(), lanes.end(), 0u);
    out.push_back(token(i));
    do {
        lanes = selected(token(i + 1).text, lanes, token(i + 1).at);
        if (lanes.size() > 1 && !is_lane_count(lanes.size()))
            fail(token(i + 1).at, "no vector has " + std::to_string(lanes.size()) + " components");
        i += 2;
    } while (lanes.size() > 1 && i + 1 < end && token(i).is(".") && token(i + 1).is_identifier());
    const bool written = i < end && (is_assignment(token(i)) || token(i).is("++") || token(i).is("--"));
    std::string list;
    for (std::size_t a = 0; a < lanes.size(); ++a) {
        list += concat({a ? ", " : "", std::to_string(lanes[a])});
        if (written && std::find(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(a), lanes[a]) !=
                           lanes.begin() + static_cast<std::ptrdiff_t>(a))
            fail(at, "a component that is written can be named only once");
    }
    if (lanes.size() == 1 && !(written && is_guarded_assignment(token(i))))
        append(out, concat({"v[", list, "]"}), at);
    else
        append(out, concat({written ? "ref(" : "get(", "devq_lanes<", list, ">{})"}), at);
    out.back().space_before = false;
    return make_vector(type->scalar, static_cast<unsigned>(lanes.size()));
}

/// The same where the vector's length is not known here: the class finds it.
TypePtr Parser::unknown_component(std::size_t& i, std::size_t end, Tokens& out) const {
    const Token& name = token(i + 1);
    const std::vector<unsigned> numbers = numbered_components(name.text);
    out.push_back(token(i));
    i += 2;
    std::string list;
    for (const unsigned number : numbers)
        list += concat({list.empty() ? "" : ", ", std::to_string(number)});
    const bool written = i < end && (is_assignment(token(i)) || token(i).is("++") || token(i).is("--"));
    const std::string_view access = written ? "ref(" : "get(";
    append(out,
           numbers.empty() ? concat({access, "devq_", name.text, "{})"})
           : numbers.size() == 1 && !(written && is_guarded_assignment(token(i)))
               ? concat({"v[", list, "]"})
               : concat({access, "devq_lanes<", list, ">{})"}),
           name.at);
    out.back().space_before = false;
    if (numbers.empty() || (numbers.size() > 1 && !is_lane_count(numbers.size())))
        return nullptr;
    return make_vector(ScalarType::float_, static_cast<unsigned>(numbers.size()));
}

} // namespace devq::frontend
