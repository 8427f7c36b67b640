#pragma once
/// OpenCL C's types, as far as declarations, sizes and member access need them.

#include "frontend.hpp"
#include "token.hpp"
#include <map>
#include <memory>
#include <optional>

namespace devq::frontend {

enum class ScalarType : std::uint8_t {
    boolean,
    char_,
    uchar,
    short_,
    ushort,
    int_,
    uint,
    long_,
    ulong,
    half,
    float_,
    double_
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

struct Field {
    std::string name;
    TypePtr type;
    std::size_t offset = 0;
    bool unnamed = false; ///< a struct or union without a name: its members are named as those of what holds it
};

/// A struct or union. Filled in after its name is known, so that it can point to itself.
struct Record {
    std::string tag;      ///< as written; empty for an unnamed one
    std::string cpp_name; ///< unique in the C++ text
    bool is_union = false;
    bool complete = false;
    bool open = false; ///< its members are being read
    std::vector<Field> fields;
    std::size_t size = 0;
    std::size_t alignment = 1;
    unsigned depth = 1;
    std::string attributes; ///< "__attribute__((packed))"
    Position at;
};

struct Type {
    enum class Kind { void_, scalar, vector, record, enumeration, pointer, array, event };

    Kind kind = Kind::void_;
    ScalarType scalar = ScalarType::int_; ///< of a scalar, a vector's components
    unsigned lanes = 1;
    std::shared_ptr<Record> record;
    TypePtr element;                  ///< of a pointer, an array
    std::optional<std::size_t> count; ///< of an array; absent: `T x[]`
    unsigned depth = 0;               ///< how deep pointers, arrays and records are nested in it
    Space space = Space::value;       ///< where an object of this type lies; value: private memory
    bool is_const = false, is_volatile = false, is_restrict = false;
    bool is_address_size = false; ///< size_t and kin, whose size is the device's matter
};

TypePtr make_scalar(ScalarType scalar);
TypePtr make_vector(ScalarType scalar, unsigned lanes);
TypePtr make_pointer(TypePtr pointee);
TypePtr make_array(TypePtr element, std::optional<std::size_t> count);

/// The built-in type called `name` ("uint4", "size_t", "void"), or null.
TypePtr builtin_type(std::string_view name);

std::string_view scalar_name(ScalarType scalar);
std::size_t scalar_size(ScalarType scalar);
ValueKind value_kind(const Type& type);
bool is_floating(ScalarType scalar);

unsigned depth_of(const Type& type);

/// A copy of `type` with the qualifiers and the space of `with` too; of an array they are its elements'.
TypePtr qualified(const TypePtr& type, const Type& with);

/// Of an array or a struct: far from what would overflow where sizes are added or multiplied.
inline constexpr std::size_t most_object_bytes = std::size_t{1} << 40;

/// As C lays them out; absent for an incomplete type.
std::optional<std::size_t> size_of(const Type& type);
std::size_t alignment_of(const Type& type);

/// The member called `name`, in an unnamed struct or union too: the fields to go through, it last; empty: there is
/// none.
std::vector<const Field*> find_member(const Record& record, std::string_view name);

/// Sets offsets, size and alignment. @param packed no padding @param aligned least alignment, or 0
void lay_out(Record& record, bool packed, std::size_t aligned);

/// The memory that an object of this type lies in: an array lies where its elements do.
Space space_of(const Type& type);
bool is_const_object(const Type& type);
bool is_vector(const Type& type);
bool contains_pointer(const Type& type);
bool contains_address_size(const Type& type);
bool contains_array(const Type& type); ///< or is one
bool contains_const_member(const Type& type);

/// Would C make a pointer of type `to` of this one, where C++ wants a cast: it points to another type, or its const or
/// volatile gets lost? Never of pointers into unlike memories.
bool needs_pointer_cast(const Type& to, const Type& from);

/// The C++ declaration of `name` with this type ("const float (*p)[4]"); address spaces are dropped.
/// @param own_qualifiers the object itself is const, restrict, … too
std::string declare(const Type& type, const std::string& name, bool own_qualifiers = true);

/// For messages and signatures: as the user would write it, without address spaces.
std::string describe(const Type& type);

} // namespace devq::frontend
