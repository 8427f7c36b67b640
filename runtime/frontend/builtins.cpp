#include "builtins.hpp"
#include "text.hpp"
#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

namespace devq::frontend {

namespace {

using NameSet = std::unordered_set<std::string_view>;

constexpr std::array predefined{
    PredefinedMacro{"__OPENCL_VERSION__", "120", true},
    PredefinedMacro{"__OPENCL_C_VERSION__", "120", true},
    PredefinedMacro{"CL_VERSION_1_0", "100", true},
    PredefinedMacro{"CL_VERSION_1_1", "110", true},
    PredefinedMacro{"CL_VERSION_1_2", "120", true},
    PredefinedMacro{"__ENDIAN_LITTLE__", "1", true},
    PredefinedMacro{"cl_khr_fp64", "1", true},
    PredefinedMacro{"cl_khr_global_int32_base_atomics", "1", true},
    PredefinedMacro{"cl_khr_global_int32_extended_atomics", "1", true},
    PredefinedMacro{"cl_khr_local_int32_base_atomics", "1", true},
    PredefinedMacro{"cl_khr_local_int32_extended_atomics", "1", true},
    PredefinedMacro{"cl_khr_byte_addressable_store", "1", true},
    PredefinedMacro{"CLK_LOCAL_MEM_FENCE", "1", true},
    PredefinedMacro{"CLK_GLOBAL_MEM_FENCE", "2", true},
    PredefinedMacro{"CHAR_BIT", "8", true},
    PredefinedMacro{"CHAR_MAX", "127", true},
    PredefinedMacro{"CHAR_MIN", "(-128)", true},
    PredefinedMacro{"SCHAR_MAX", "127", true},
    PredefinedMacro{"SCHAR_MIN", "(-128)", true},
    PredefinedMacro{"UCHAR_MAX", "255", true},
    PredefinedMacro{"SHRT_MAX", "32767", true},
    PredefinedMacro{"SHRT_MIN", "(-32768)", true},
    PredefinedMacro{"USHRT_MAX", "65535", true},
    PredefinedMacro{"INT_MAX", "2147483647", true},
    PredefinedMacro{"INT_MIN", "(-2147483647-1)", true},
    PredefinedMacro{"UINT_MAX", "4294967295u", true},
    PredefinedMacro{"LONG_MAX", "9223372036854775807l", true},
    PredefinedMacro{"LONG_MIN", "(-9223372036854775807l-1)", true},
    PredefinedMacro{"ULONG_MAX", "18446744073709551615ul", true},
    PredefinedMacro{"FLT_DIG", "6", true},
    PredefinedMacro{"FLT_MANT_DIG", "24", true},
    PredefinedMacro{"FLT_MAX_10_EXP", "38", true},
    PredefinedMacro{"FLT_MAX_EXP", "128", true},
    PredefinedMacro{"FLT_MIN_10_EXP", "(-37)", true},
    PredefinedMacro{"FLT_MIN_EXP", "(-125)", true},
    PredefinedMacro{"FLT_RADIX", "2", true},
    PredefinedMacro{"FLT_MAX", "3.402823466e+38f", true},
    PredefinedMacro{"FLT_MIN", "1.175494351e-38f", true},
    PredefinedMacro{"FLT_EPSILON", "1.192092896e-07f", true},
    PredefinedMacro{"DBL_DIG", "15", true},
    PredefinedMacro{"DBL_MANT_DIG", "53", true},
    PredefinedMacro{"DBL_MAX_10_EXP", "308", true},
    PredefinedMacro{"DBL_MAX_EXP", "1024", true},
    PredefinedMacro{"DBL_MIN_10_EXP", "(-307)", true},
    PredefinedMacro{"DBL_MIN_EXP", "(-1021)", true},
    PredefinedMacro{"DBL_RADIX", "2", true},
    PredefinedMacro{"DBL_MAX", "1.7976931348623157e+308", true},
    PredefinedMacro{"DBL_MIN", "2.2250738585072014e-308", true},
    PredefinedMacro{"DBL_EPSILON", "2.2204460492503131e-16", true},
    PredefinedMacro{"HALF_MAX", "65504.0f", true},
    PredefinedMacro{"MAXFLOAT", "3.402823466e+38f", true},
    PredefinedMacro{"HUGE_VALF", "INFINITY", true},
    PredefinedMacro{"HUGE_VAL", "INFINITY", true},
    PredefinedMacro{"INFINITY", "1e9999f", true},
    PredefinedMacro{"NAN", "0.0f", true},
    PredefinedMacro{"M_E_F", "2.71828182845904523536f", true},
    PredefinedMacro{"M_LOG2E_F", "1.44269504088896340736f", true},
    PredefinedMacro{"M_LOG10E_F", "0.43429448190325182765f", true},
    PredefinedMacro{"M_LN2_F", "0.69314718055994530942f", true},
    PredefinedMacro{"M_LN10_F", "2.30258509299404568402f", true},
    PredefinedMacro{"M_PI_F", "3.14159265358979323846f", true},
    PredefinedMacro{"M_PI_2_F", "1.57079632679489661923f", true},
    PredefinedMacro{"M_PI_4_F", "0.78539816339744830962f", true},
    PredefinedMacro{"M_1_PI_F", "0.31830988618379067154f", true},
    PredefinedMacro{"M_2_PI_F", "0.63661977236758134308f", true},
    PredefinedMacro{"M_2_SQRTPI_F", "1.12837916709551257390f", true},
    PredefinedMacro{"M_SQRT2_F", "1.41421356237309504880f", true},
    PredefinedMacro{"M_SQRT1_2_F", "0.70710678118654752440f", true},
    PredefinedMacro{"M_E", "2.71828182845904523536", true},
    PredefinedMacro{"M_LOG2E", "1.44269504088896340736", true},
    PredefinedMacro{"M_LOG10E", "0.43429448190325182765", true},
    PredefinedMacro{"M_LN2", "0.69314718055994530942", true},
    PredefinedMacro{"M_LN10", "2.30258509299404568402", true},
    PredefinedMacro{"M_PI", "3.14159265358979323846", true},
    PredefinedMacro{"M_PI_2", "1.57079632679489661923", true},
    PredefinedMacro{"M_PI_4", "0.78539816339744830962", true},
    PredefinedMacro{"M_1_PI", "0.31830988618379067154", true},
    PredefinedMacro{"M_2_PI", "0.63661977236758134308", true},
    PredefinedMacro{"M_2_SQRTPI", "1.12837916709551257390", true},
    PredefinedMacro{"M_SQRT2", "1.41421356237309504880", true},
    PredefinedMacro{"M_SQRT1_2", "0.70710678118654752440", true},
    PredefinedMacro{"FP_ILOGB0", "(-2147483647-1)", true},
    PredefinedMacro{"FP_ILOGBNAN", "2147483647", true},
    PredefinedMacro{"NULL", "0", true},
};

const NameSet& builtin_constants() {
    static const NameSet names = [] {
        NameSet set;
        for (const PredefinedMacro& macro : predefined)
            if (macro.opaque)
                set.insert(macro.name);
        return set;
    }();
    return names;
}

std::unordered_set<std::string> make_functions() {
    std::unordered_set<std::string> names{"acos",
                                          "acosh",
                                          "acospi",
                                          "asin",
                                          "asinh",
                                          "asinpi",
                                          "atan",
                                          "atan2",
                                          "atan2pi",
                                          "atanh",
                                          "atanpi",
                                          "cbrt",
                                          "ceil",
                                          "copysign",
                                          "cos",
                                          "cosh",
                                          "cospi",
                                          "erf",
                                          "erfc",
                                          "exp",
                                          "exp10",
                                          "exp2",
                                          "expm1",
                                          "fabs",
                                          "fdim",
                                          "floor",
                                          "fma",
                                          "fmax",
                                          "fmin",
                                          "fmod",
                                          "fract",
                                          "frexp",
                                          "hypot",
                                          "ilogb",
                                          "ldexp",
                                          "lgamma",
                                          "lgamma_r",
                                          "log",
                                          "log10",
                                          "log1p",
                                          "log2",
                                          "logb",
                                          "mad",
                                          "maxmag",
                                          "minmag",
                                          "modf",
                                          "nan",
                                          "nextafter",
                                          "pow",
                                          "pown",
                                          "powr",
                                          "remainder",
                                          "remquo",
                                          "rint",
                                          "rootn",
                                          "round",
                                          "rsqrt",
                                          "sin",
                                          "sincos",
                                          "sinh",
                                          "sinpi",
                                          "sqrt",
                                          "tan",
                                          "tanh",
                                          "tanpi",
                                          "tgamma",
                                          "trunc",
                                          "abs",
                                          "abs_diff",
                                          "add_sat",
                                          "clz",
                                          "hadd",
                                          "mad24",
                                          "mad_hi",
                                          "mad_sat",
                                          "max",
                                          "min",
                                          "mul24",
                                          "mul_hi",
                                          "popcount",
                                          "rhadd",
                                          "rotate",
                                          "sub_sat",
                                          "upsample",
                                          "clamp",
                                          "degrees",
                                          "mix",
                                          "radians",
                                          "sign",
                                          "smoothstep",
                                          "step",
                                          "cross",
                                          "distance",
                                          "dot",
                                          "fast_distance",
                                          "fast_length",
                                          "fast_normalize",
                                          "length",
                                          "normalize",
                                          "all",
                                          "any",
                                          "bitselect",
                                          "isequal",
                                          "isfinite",
                                          "isgreater",
                                          "isgreaterequal",
                                          "isinf",
                                          "isless",
                                          "islessequal",
                                          "islessgreater",
                                          "isnan",
                                          "isnormal",
                                          "isnotequal",
                                          "isordered",
                                          "isunordered",
                                          "select",
                                          "signbit",
                                          "prefetch",
                                          "shuffle",
                                          "shuffle2",
                                          "vec_step",
                                          "mem_fence",
                                          "read_mem_fence",
                                          "write_mem_fence",
                                          "vload_half",
                                          "get_work_dim",
                                          "get_global_size",
                                          "get_global_id",
                                          "get_local_size",
                                          "get_local_id",
                                          "get_num_groups",
                                          "get_group_id",
                                          "get_global_offset",
                                          "barrier",
                                          "async_work_group_copy",
                                          "async_work_group_strided_copy",
                                          "wait_group_events"};
    for (const std::string_view fast : {"cos", "divide", "exp", "exp10", "exp2", "log", "log10", "log2", "powr",
                                        "recip", "rsqrt", "sin", "sqrt", "tan"}) {
        names.insert(concat({"native_", fast}));
        names.insert(concat({"half_", fast}));
    }
    for (const std::string_view operation :
         {"add", "and", "cmpxchg", "dec", "inc", "max", "min", "or", "sub", "xchg", "xor"}) {
        names.insert(concat({"atomic_", operation}));
        names.insert(concat({"atom_", operation}));
    }
    for (const std::string_view lanes : {"", "2", "3", "4", "8", "16"}) {
        for (const std::string_view load : {"vload", "vload_half", "vloada_half", "vstore"})
            if (!lanes.empty())
                names.insert(concat({load, lanes}));
        for (const std::string_view rounding : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
            names.insert(concat({"vstore_half", lanes, rounding}));
            if (!lanes.empty())
                names.insert(concat({"vstorea_half", lanes, rounding}));
        }
    }
    return names;
}

const std::unordered_set<std::string>& functions() {
    static const std::unordered_set<std::string> names = make_functions();
    return names;
}

/// How many letters must be changed, added, left out or swapped with their neighbour; `limit` where it is that many.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit)
        return limit;
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return std::min(row[b.size()], limit);
}

} // namespace

bool is_builtin_function(std::string_view name) { return functions().count(std::string(name)) > 0; }

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 40;
    if (name.size() < 3 || name.size() > longest)
        return {};
    std::size_t best = name.size() < 6 ? 2 : 3;
    std::string_view found;
    for (const std::string& candidate : candidates) {
        const std::size_t d = candidate == name ? best : distance(name, candidate, best);
        if (d < best ||
            (d == best && !found.empty() && candidate < found && distance(name, candidate, best + 1) == d)) {
            best = d;
            found = candidate;
        }
    }
    return found.empty() ? std::string() : concat({" (did you mean '", found, "'?)"});
}

std::string suggestion(std::string_view name, std::span<const std::string> more) {
    std::vector<std::string> candidates(more.begin(), more.end());
    candidates.insert(candidates.end(), functions().begin(), functions().end());
    candidates.insert(candidates.end(), builtin_constants().begin(), builtin_constants().end());
    return nearest(name, candidates);
}

std::span<const PredefinedMacro> predefined_macros() { return predefined; }

bool is_builtin_constant(std::string_view name) { return builtin_constants().count(name) > 0; }

bool is_work_item_function(std::string_view name) {
    static const NameSet names{"get_work_dim",
                               "get_global_size",
                               "get_global_id",
                               "get_local_size",
                               "get_local_id",
                               "get_num_groups",
                               "get_group_id",
                               "get_global_offset",
                               "barrier",
                               "async_work_group_copy",
                               "async_work_group_strided_copy",
                               "wait_group_events"};
    return names.count(name) > 0;
}

bool is_barrier_function(std::string_view name) {
    static const NameSet names{"barrier", "async_work_group_copy", "async_work_group_strided_copy",
                               "wait_group_events"};
    return names.count(name) > 0;
}

bool returns_scalar(std::string_view name) {
    static const NameSet names{"dot",
                               "any",
                               "all",
                               "length",
                               "distance",
                               "fast_length",
                               "fast_distance",
                               "vload_half",
                               "vec_step",
                               "get_work_dim",
                               "get_global_size",
                               "get_global_id",
                               "get_local_size",
                               "get_local_id",
                               "get_num_groups",
                               "get_group_id",
                               "get_global_offset"};
    return names.count(name) > 0 || name.substr(0, 5) == "atom_" || name.substr(0, 7) == "atomic_";
}

std::string_view unsupported_reason(std::string_view name) {
    static const NameSet images{"image1d_t",        "image1d_buffer_t", "image1d_array_t", "image2d_t",
                                "image2d_array_t",  "image3d_t",        "sampler_t",       "read_imagef",
                                "read_imagei",      "read_imageui",     "read_imageh",     "write_imagef",
                                "write_imagei",     "write_imageui",    "write_imageh",    "get_image_width",
                                "get_image_height", "get_image_depth",  "get_image_dim"};
    if (images.count(name))
        return "images and samplers are not supported; use a buffer";
    if (name == "pipe" || name == "read_pipe" || name == "write_pipe")
        return "pipes are not supported; use a buffer and an atomic counter";
    if (name == "printf")
        return "printf is not supported; write to a buffer and read it back";
    if (name.substr(0, 10) == "sub_group_" || name.substr(0, 14) == "get_sub_group_")
        return "sub-groups are not supported; use local memory and barriers";
    if (name == "asm" || name == "__asm" || name == "__asm__")
        return "assembly is not supported in a portable kernel";
    return {};
}

bool is_cpp_keyword(std::string_view name) {
    static const NameSet words{"alignas",
                               "alignof",
                               "and",
                               "and_eq",
                               "asm",
                               "bitand",
                               "bitor",
                               "catch",
                               "char8_t",
                               "char16_t",
                               "char32_t",
                               "class",
                               "co_await",
                               "co_return",
                               "co_yield",
                               "compl",
                               "concept",
                               "const_cast",
                               "consteval",
                               "constexpr",
                               "constinit",
                               "decltype",
                               "delete",
                               "dynamic_cast",
                               "explicit",
                               "export",
                               "friend",
                               "mutable",
                               "namespace",
                               "new",
                               "noexcept",
                               "not",
                               "not_eq",
                               "nullptr",
                               "operator",
                               "or",
                               "or_eq",
                               "private",
                               "protected",
                               "public",
                               "reinterpret_cast",
                               "requires",
                               "static_assert",
                               "static_cast",
                               "template",
                               "this",
                               "thread_local",
                               "throw",
                               "try",
                               "typeid",
                               "typename",
                               "using",
                               "virtual",
                               "wchar_t",
                               "xor",
                               "xor_eq"};
    return words.count(name) > 0;
}

std::string cpp_name(std::string_view name) {
    // Names of our own and of the implementation start so: a user's must not meet them.
    const bool ours = name.substr(0, 5) == "devq_" || name.substr(0, 5) == "DEVQ_";
    return (is_cpp_keyword(name) || ours ? "user_" : "") + std::string(name);
}

} // namespace devq::frontend
