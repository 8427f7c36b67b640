#pragma once
// Random expressions of OpenCL C. Each has a value that the language defines: signed numbers never overflow, and no
// product of floats is rounded before it is added to, so that it makes no difference whether a compiler fuses the two.

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace devq::generated {

/// The parts in order. Unlike those of operators, the elements of a list are evaluated from left to right, so that a
/// seed gives the same kernels by every compiler.
std::string joined(std::initializer_list<std::string> parts);

struct Vector {
    std::string element; ///< type
    unsigned width = 4;
    std::string name;
    std::string type() const { return element + std::to_string(width); }
};

/// The variables that an expression may name, by type.
struct Scope {
    std::vector<std::string> u32, i32, u64, i64, f32;
    std::vector<std::string> small; ///< integers that are promoted: of 8 and 16 bits, signed and unsigned
    std::vector<Vector> vectors;
    std::vector<std::string> uniform; ///< uint, the same for all items of a group
    std::string array;                ///< of four uint, or none
};

class Expressions {
public:
    explicit Expressions(std::uint32_t seed) : random_(seed) {}

    Scope scope;

    unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
    std::string one_of(const std::vector<std::string>& words) {
        return words[pick(static_cast<unsigned>(words.size()))];
    }

    std::string u32(unsigned depth);
    std::string i32(unsigned depth);
    std::string u64(unsigned depth);
    std::string i64(unsigned depth);
    std::string f32(unsigned depth);
    std::string vector(const std::string& element, unsigned width, unsigned depth);
    /// A uint that is the same for all items of a group.
    std::string uniform(unsigned depth = 2);
    /// Two components of a vector of `width`, for reading or, where no name is twice among them, for writing.
    std::string swizzle(unsigned width, unsigned count, bool for_writing);

private:
    std::string u32_leaf();
    std::string i32_leaf();
    std::string vector_leaf(const std::string& element, unsigned width, unsigned depth);
    std::string of_element(const std::string& element, unsigned depth);
    std::string unsigned_vector(const std::string& type, const std::string& x, const std::string& y,
                                const std::string& shift, unsigned width);
    std::string literal() { return std::to_string(pick(100)) + "u"; }

    std::mt19937 random_;
};

} // namespace devq::generated
