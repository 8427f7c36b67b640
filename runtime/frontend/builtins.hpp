#pragma once
/// What OpenCL C itself gives a program: macros, and names that the rewriter or the checks must know.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace devq::frontend {

struct PredefinedMacro {
    std::string_view name;
    std::string_view value;
    bool opaque; ///< kept in the text, since every target defines it; known to #if
};

std::span<const PredefinedMacro> predefined_macros();

/// True for the opaque ones: constants of a scalar type.
bool is_builtin_constant(std::string_view name);

/// get_global_id and kin, and what needs the work-group's state: in C++ they are members of the work-item.
bool is_work_item_function(std::string_view name);

/// barrier and what else makes a work-group's items wait for one another.
bool is_barrier_function(std::string_view name);

/// Built-ins whose result is a scalar even when an argument is a vector (dot, any).
bool returns_scalar(std::string_view name);

/// True for every function of OpenCL C 1.2 that the preludes have.
bool is_builtin_function(std::string_view name);

/// The names of all of them and of the constants.
std::vector<std::string> builtin_names();

/// Which of `candidates` is nearest to a mistyped name: " (did you mean 'fmax'?)", or empty where none is near.
std::string nearest(std::string_view name, std::span<const std::string> candidates);
/// The same with OpenCL C's functions and constants among them.
std::string suggestion(std::string_view name, std::span<const std::string> more);

/// Why a name cannot be used ("images are not supported"), empty where it can.
std::string_view unsupported_reason(std::string_view name);

/// Words of C++ that C programs may use as names.
bool is_cpp_keyword(std::string_view name);

/// `name` as it appears in the C++ text.
std::string cpp_name(std::string_view name);

} // namespace devq::frontend
