#include "types.hpp"
#include "text.hpp"
#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace devq::frontend {

namespace {

struct ScalarInfo {
    std::string_view name;
    std::size_t size;
};
constexpr std::array<ScalarInfo, 12> scalars{{{"bool", 1},
                                              {"char", 1},
                                              {"uchar", 1},
                                              {"short", 2},
                                              {"ushort", 2},
                                              {"int", 4},
                                              {"uint", 4},
                                              {"long", 8},
                                              {"ulong", 8},
                                              {"half", 2},
                                              {"float", 4},
                                              {"double", 8}}};

std::size_t round_up(std::size_t value, std::size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

/// Lanes in memory: a 3-vector takes the room of 4.
std::size_t stored_lanes(unsigned lanes) { return lanes == 3 ? 4 : lanes; }

std::string base_name(const Type& type, bool for_user) {
    switch (type.kind) {
    case Type::Kind::void_:
        return "void";
    case Type::Kind::scalar:
        return std::string(scalar_name(type.scalar));
    case Type::Kind::vector:
        return std::string(scalar_name(type.scalar)) + std::to_string(type.lanes);
    case Type::Kind::record: {
        const std::string keyword = type.record->is_union ? "union " : "struct ";
        if (for_user)
            return type.record->tag.empty() ? keyword + "(unnamed)" : keyword + type.record->tag;
        return keyword + type.record->cpp_name;
    }
    case Type::Kind::enumeration:
        return "int";
    case Type::Kind::event:
        return "event_t";
    default:
        return {};
    }
}

std::string declare_as(const Type& type, const std::string& name, bool own_qualifiers, bool for_user) {
    // Classes have no volatile operators; a vector is never accessed piecewise by two items anyway.
    const bool is_volatile = type.is_volatile && type.kind != Type::Kind::vector;
    const std::string qualifiers = std::string(type.is_const && own_qualifiers ? "const " : "") +
                                   (is_volatile && own_qualifiers ? "volatile " : "");
    if (type.kind == Type::Kind::array) {
        const std::string count = type.count ? std::to_string(*type.count) : std::string();
        return declare_as(*type.element, concat({name, "[", count, "]"}), own_qualifiers, for_user);
    }
    if (type.kind != Type::Kind::pointer)
        return qualifiers + base_name(type, for_user) + (name.empty() ? "" : " " + name);
    const bool restricted = type.is_restrict && own_qualifiers && !for_user;
    const bool apart = !name.empty() && name[0] != '*';
    std::string inner = concat({"*", apart ? " " : "", qualifiers, restricted ? "__restrict__ " : "", name});
    while (!inner.empty() && inner.back() == ' ')
        inner.pop_back();
    if (type.element->kind == Type::Kind::array)
        inner = concat({"(", inner, ")"});
    if (type.element->kind == Type::Kind::pointer || type.element->kind == Type::Kind::array)
        return declare_as(*type.element, inner, true, for_user);
    return declare_as(*type.element, {}, true, for_user) + inner;
}

} // namespace

TypePtr make_scalar(ScalarType scalar) { return make_vector(scalar, 1); }

TypePtr make_vector(ScalarType scalar, unsigned lanes) {
    Type type;
    type.kind = lanes == 1 ? Type::Kind::scalar : Type::Kind::vector;
    type.scalar = scalar;
    type.lanes = lanes;
    return std::make_shared<const Type>(std::move(type));
}

TypePtr make_pointer(TypePtr pointee) {
    Type type;
    type.kind = Type::Kind::pointer;
    type.depth = depth_of(*pointee) + 1;
    type.element = std::move(pointee);
    return std::make_shared<const Type>(std::move(type));
}

TypePtr make_array(TypePtr element, std::optional<std::size_t> count) {
    Type type;
    type.kind = Type::Kind::array;
    type.depth = depth_of(*element) + 1;
    type.element = std::move(element);
    type.count = count;
    return std::make_shared<const Type>(std::move(type));
}

TypePtr builtin_type(std::string_view name) {
    static const std::unordered_map<std::string, TypePtr> known = [] {
        std::unordered_map<std::string, TypePtr> types;
        for (std::size_t i = 0; i < scalars.size(); ++i) {
            const auto scalar = static_cast<ScalarType>(i);
            types[std::string(scalars[i].name)] = make_scalar(scalar);
            if (scalar != ScalarType::boolean)
                for (const unsigned lanes : {2u, 3u, 4u, 8u, 16u})
                    types[std::string(scalars[i].name) + std::to_string(lanes)] = make_vector(scalar, lanes);
        }
        types["void"] = std::make_shared<const Type>();
        const auto address_size = [](ScalarType scalar) {
            Type type = *make_scalar(scalar);
            type.is_address_size = true;
            return std::make_shared<const Type>(std::move(type));
        };
        types["size_t"] = types["uintptr_t"] = address_size(ScalarType::ulong);
        types["ptrdiff_t"] = types["intptr_t"] = address_size(ScalarType::long_);
        Type event;
        event.kind = Type::Kind::event;
        types["event_t"] = std::make_shared<const Type>(std::move(event));
        return types;
    }();
    const auto found = known.find(std::string(name));
    return found == known.end() ? nullptr : found->second;
}

std::string_view scalar_name(ScalarType scalar) { return scalars[static_cast<std::size_t>(scalar)].name; }
std::size_t scalar_size(ScalarType scalar) { return scalars[static_cast<std::size_t>(scalar)].size; }

bool is_floating(ScalarType scalar) {
    return scalar == ScalarType::half || scalar == ScalarType::float_ || scalar == ScalarType::double_;
}

ValueKind value_kind(const Type& type) {
    switch (type.kind) {
    case Type::Kind::record:
        return ValueKind::structure;
    case Type::Kind::array:
        return value_kind(*type.element);
    case Type::Kind::scalar:
    case Type::Kind::vector:
        switch (type.scalar) {
        case ScalarType::half:
        case ScalarType::float_:
        case ScalarType::double_:
            return ValueKind::floating;
        case ScalarType::boolean:
        case ScalarType::uchar:
        case ScalarType::ushort:
        case ScalarType::uint:
        case ScalarType::ulong:
            return ValueKind::unsigned_integer;
        default:
            return ValueKind::signed_integer;
        }
    default:
        return ValueKind::signed_integer;
    }
}

unsigned depth_of(const Type& type) { return type.kind == Type::Kind::record ? type.record->depth : type.depth; }

std::optional<std::size_t> size_of(const Type& type) {
    switch (type.kind) {
    case Type::Kind::void_:
        return std::nullopt;
    case Type::Kind::scalar:
    case Type::Kind::vector:
        return scalar_size(type.scalar) * stored_lanes(type.lanes);
    case Type::Kind::record:
        return type.record->complete ? std::optional(type.record->size) : std::nullopt;
    case Type::Kind::array: {
        const auto element = size_of(*type.element);
        return element && type.count ? std::optional(*element * *type.count) : std::nullopt;
    }
    case Type::Kind::enumeration:
        return 4;
    default:
        return 8;
    }
}

std::size_t alignment_of(const Type& type) {
    switch (type.kind) {
    case Type::Kind::void_:
        return 1;
    case Type::Kind::scalar:
    case Type::Kind::vector:
        return scalar_size(type.scalar) * stored_lanes(type.lanes);
    case Type::Kind::record:
        return type.record->alignment;
    case Type::Kind::array:
        return alignment_of(*type.element);
    case Type::Kind::enumeration:
        return 4;
    default:
        return 8;
    }
}

bool needs_pointer_cast(const Type& to, const Type& from) {
    if (to.kind != Type::Kind::pointer || (from.kind != Type::Kind::pointer && from.kind != Type::Kind::array))
        return false;
    Type wanted = *to.element, given = *from.element;
    if (space_of(wanted) != space_of(given))
        return false;
    const bool loses = (given.is_const && !wanted.is_const) || (given.is_volatile && !wanted.is_volatile);
    wanted.is_const = wanted.is_volatile = given.is_const = given.is_volatile = false;
    return loses || (wanted.kind != Type::Kind::void_ && declare(wanted, {}) != declare(given, {}));
}

std::vector<const Field*> find_member(const Record& record, std::string_view name) {
    for (const Field& field : record.fields) {
        if (field.name == name && !field.unnamed)
            return {&field};
        if (!field.unnamed)
            continue;
        std::vector<const Field*> path = find_member(*field.type->record, name);
        if (!path.empty()) {
            path.insert(path.begin(), &field);
            return path;
        }
    }
    return {};
}

void lay_out(Record& record, bool packed, std::size_t aligned) {
    std::size_t end = 0;
    for (Field& field : record.fields) {
        const std::size_t alignment = packed ? 1 : alignment_of(*field.type);
        record.alignment = std::max(record.alignment, alignment);
        record.depth = std::max(record.depth, depth_of(*field.type) + 1);
        field.offset = record.is_union ? 0 : round_up(end, alignment);
        end = std::max(end, field.offset + size_of(*field.type).value_or(0));
    }
    record.alignment = std::max(record.alignment, aligned);
    record.size = round_up(end, record.alignment);
    record.complete = true;
}

Space space_of(const Type& type) { return type.kind == Type::Kind::array ? space_of(*type.element) : type.space; }

bool is_const_object(const Type& type) {
    return type.kind == Type::Kind::array ? is_const_object(*type.element) : type.is_const;
}

TypePtr qualified(const TypePtr& type, const Type& with) {
    if (!with.is_const && !with.is_volatile && !with.is_restrict && with.space == Space::value)
        return type;
    Type copy = *type;
    if (copy.kind == Type::Kind::array) {
        copy.element = qualified(copy.element, with);
        return std::make_shared<const Type>(std::move(copy));
    }
    copy.is_const |= with.is_const;
    copy.is_volatile |= with.is_volatile;
    copy.is_restrict |= with.is_restrict;
    if (with.space != Space::value)
        copy.space = with.space;
    if (copy.space == Space::constant)
        copy.is_const = true;
    return std::make_shared<const Type>(std::move(copy));
}

bool is_vector(const Type& type) { return type.kind == Type::Kind::vector; }

/// Does `holds` say yes to the type, or to any part of it? Looks at each record once: nested ones repeat without end.
static bool any_part(const Type& type, bool (*holds)(const Type&), std::set<const Record*>& seen) {
    if (holds(type))
        return true;
    if (type.kind == Type::Kind::array)
        return any_part(*type.element, holds, seen);
    if (type.kind == Type::Kind::record && seen.insert(type.record.get()).second)
        for (const Field& field : type.record->fields)
            if (any_part(*field.type, holds, seen))
                return true;
    return false;
}

static bool any_part(const Type& type, bool (*holds)(const Type&)) {
    std::set<const Record*> seen;
    return any_part(type, holds, seen);
}

bool contains_pointer(const Type& type) {
    return any_part(type, [](const Type& part) { return part.kind == Type::Kind::pointer; });
}

bool contains_address_size(const Type& type) {
    return any_part(type, [](const Type& part) { return part.is_address_size; });
}

bool contains_array(const Type& type) {
    return any_part(type, [](const Type& part) { return part.kind == Type::Kind::array; });
}

bool contains_const_member(const Type& type) {
    return any_part(type, [](const Type& part) {
        return part.kind == Type::Kind::record &&
               std::any_of(part.record->fields.begin(), part.record->fields.end(),
                           [](const Field& field) { return is_const_object(*field.type); });
    });
}

std::string declare(const Type& type, const std::string& name, bool own_qualifiers) {
    return declare_as(type, name, own_qualifiers, false);
}

std::string describe(const Type& type) { return declare_as(type, {}, true, true); }

} // namespace devq::frontend
