#include "builtins.hpp"
#include "parser.hpp"
#include "text.hpp"
#include "tokens.hpp"

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

bool is_half_name(const std::string& name) {
    return name == "lo" || name == "hi" || name == "even" || name == "odd";
}

bool is_component_name(const std::string& name) {
    return is_half_name(name) || !numbered_components(name).empty();
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
    if (type) {
        if (type->kind != Type::Kind::record)
            fail(name.at, "'" + describe(*type) + "' has no members");
        for (const Field& field : type->record->fields)
            if (field.name == name.text)
                result = field.type;
        if (!result)
            fail(name.at, "'" + describe(*type) + "' has no member '" + name.text + "'");
        if (type->is_const && result->kind != Type::Kind::array)
            result = std::make_shared<const Type>(*result);
    }
    out.push_back(op);
    out.push_back(name);
    out.back().text = cpp_name(name.text);
    i += 2;
    return result;
}

/// Components of a vector: one is `.v[n]`, which can be read and written; several are read as .get(…) and written as
/// .ref(…), which answers an object to assign to.
TypePtr Parser::component(const TypePtr& type, std::size_t& i, std::size_t end, Tokens& out) {
    const Token& op = token(i);
    const Token& name = token(i + 1);
    const std::vector<unsigned> numbers = numbered_components(name.text);
    const unsigned lanes = type ? type->lanes : 16;
    const ScalarType scalar = type ? type->scalar : ScalarType::float_;
    for (const unsigned number : numbers)
        if (number >= lanes)
            fail(name.at, "'" + describe(*type) + "' has no component '" + name.text + "'");
    if (numbers.empty() && !is_half_name(name.text))
        fail(name.at, "'" + describe(*type) + "' has no component '" + name.text + "'",
             "Components are .x .y .z .w, .s0 to .sf, .lo .hi .even .odd.");
    i += 2;
    out.push_back(op);
    if (numbers.size() == 1) {
        append(out, concat({"v[", std::to_string(numbers[0]), "]"}), name.at);
        out.back().space_before = false;
        return make_scalar(scalar);
    }
    if (!numbers.empty() && !is_lane_count(numbers.size()))
        fail(name.at, "no vector has " + std::to_string(numbers.size()) + " components");
    const bool written = i < end && (is_assignment(token(i)) || token(i).is("++") || token(i).is("--"));
    if (i + 2 < end && token(i).is(".") && is_component_name(token(i + 1).text) && is_assignment(token(i + 2)))
        fail(name.at, "components of components cannot be written; name the components of the whole vector");
    if (written)
        for (std::size_t a = 0; a < numbers.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (numbers[a] == numbers[b])
                    fail(name.at, "a component that is written can be named only once");
    std::string selector = concat({"devq_", name.text, "{}"});
    unsigned count = lanes == 3 ? 2 : lanes / 2;
    if (!numbers.empty()) {
        selector.clear();
        for (const unsigned number : numbers)
            selector += (selector.empty() ? "" : ", ") + std::to_string(number);
        selector = concat({"devq_lanes<", selector, ">{}"});
        count = static_cast<unsigned>(numbers.size());
    }
    append(out, concat({written ? "ref(" : "get(", selector, ")"}), name.at);
    out.back().space_before = false;
    return make_vector(scalar, type || !numbers.empty() ? std::max(count, 1u) : 2);
}

} // namespace devq::frontend
