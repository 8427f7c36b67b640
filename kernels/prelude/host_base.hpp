// The host target: what comes before everything else. Only the compiler's own built-ins are used, so that a unit
// carries no function of the C++ library, which the linker could choose for processors that lack this unit's
// instructions.
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wnarrowing"
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wignored-attributes"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#define DEVQ_FN static inline __attribute__((always_inline))
#define DEVQ_INLINE inline __attribute__((always_inline))
#define DEVQ_MEMBER inline __attribute__((always_inline))
#define DEVQ_SEPARATE_MEMBER inline __attribute__((noinline))
#define DEVQ_CONSTANT static constexpr
#define DEVQ_EXPORT __attribute__((visibility("default")))
#define DEVQ_INFINITY __builtin_inff()
#define DEVQ_NAN __builtin_nanf("")
#define DEVQ_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define DEVQ_UNROLL(n) DEVQ_PRAGMA(clang loop unroll_count(n))
#define DEVQ_INDEPENDENT DEVQ_PRAGMA(clang loop vectorize(assume_safety))
#else
#define DEVQ_UNROLL(n) DEVQ_PRAGMA(GCC unroll n)
#define DEVQ_INDEPENDENT DEVQ_PRAGMA(GCC ivdep)
#endif
#define DEVQ_LAMBDA __attribute__((always_inline))
// The type of a parameter that takes whole vectors of T.
#define DEVQ_LANES(T) auto
#define DEVQ_PROGRAM_BEGIN                                                                                             \
    template <class devq_item_type>                                                                                    \
    struct devq_program {                                                                                              \
        devq_item_type devq_item;
#define DEVQ_PROGRAM_END                                                                                               \
    }                                                                                                                  \
    ;
#define DEVQ_UNIT_BEGIN                                                                                                \
    namespace devq_code {                                                                                              \
    namespace {
#define DEVQ_UNIT_END                                                                                                  \
    }                                                                                                                  \
    }
#define DEVQ_LOCAL_MEMORY(type) type& devq_local = *static_cast<type*>(devq_item.local_memory())
