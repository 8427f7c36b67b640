#include "builtins.hpp"
#include "text.hpp"
#include "types.hpp"
#include <map>
#include <unordered_set>

namespace devq::frontend {

namespace {

using NameSet = std::unordered_set<std::string_view>;

const NameSet& builtin_constants() {
    static const NameSet names = [] {
        NameSet set;
        for (const PredefinedMacro& macro : predefined_macros())
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

} // namespace

std::vector<std::string> builtin_names() {
    std::vector<std::string> names(functions().begin(), functions().end());
    names.insert(names.end(), builtin_constants().begin(), builtin_constants().end());
    return names;
}

bool is_builtin_function(std::string_view name) { return functions().count(std::string(name)) > 0; }

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
    // Words of newer OpenCL C, of CUDA and of C++ that a program brings along; what to write instead.
    static const std::map<std::string_view, std::string_view> others{
        {"__read_only", "images and pipes are not supported; use a buffer"},
        {"read_only", "images and pipes are not supported; use a buffer"},
        {"__write_only", "images and pipes are not supported; use a buffer"},
        {"write_only", "images and pipes are not supported; use a buffer"},
        {"__read_write", "images and pipes are not supported; use a buffer"},
        {"__generic", "generic pointers are of OpenCL C 2; write __global, __local or __constant"},
        {"__shared__", "'__shared__' is CUDA's; write __local"},
        {"__global__", "'__global__' is CUDA's; write __kernel"},
        {"__device__", "'__device__' is CUDA's; leave it out"},
        {"__syncthreads", "'__syncthreads' is CUDA's; write barrier(CLK_LOCAL_MEM_FENCE)"},
        {"threadIdx", "'threadIdx' is CUDA's; write get_local_id(0)"},
        {"blockIdx", "'blockIdx' is CUDA's; write get_group_id(0)"},
        {"blockDim", "'blockDim' is CUDA's; write get_local_size(0)"},
        {"gridDim", "'gridDim' is CUDA's; write get_num_groups(0)"},
        {"template", "templates are of C++, kernels are OpenCL C; use macros or __attribute__((overloadable))"},
        {"class", "classes are of C++, kernels are OpenCL C; use a struct"},
        {"namespace", "namespaces are of C++, kernels are OpenCL C"},
        {"using", "'using' is of C++, kernels are OpenCL C; use typedef"},
        {"constexpr", "'constexpr' is of C++, kernels are OpenCL C; use __constant or a macro"},
        {"std", "'std::' is of C++; OpenCL C's functions are called by their names alone"},
        {"nullptr", "'nullptr' is of C++; write 0"},
    };
    if (const auto found = others.find(name); found != others.end())
        return found->second;
    if (name.substr(0, 11) == "work_group_")
        return "work-group functions are of OpenCL C 2; use local memory and barrier()";
    for (const std::string_view newer : {"atomic_fetch_", "atomic_load", "atomic_store", "atomic_exchange",
                                         "atomic_compare_exchange", "atomic_init", "atomic_flag", "atomic_work_item"})
        if (name.substr(0, newer.size()) == newer)
            return "atomics of OpenCL C 2 are not supported; use atomic_add, atomic_xchg, atomic_cmpxchg and so on";
    if (name == "pipe" || name == "read_pipe" || name == "write_pipe")
        return "pipes are not supported; use a buffer and an atomic counter";
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
    const bool ours = name == "vec" || name.substr(0, 5) == "devq_" || name.substr(0, 5) == "DEVQ_";
    return (is_cpp_keyword(name) || ours || builtin_type(name) ? "user_" : "") + std::string(name);
}

} // namespace devq::frontend
