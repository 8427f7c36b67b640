#pragma once
/// How devq's declarations of a binary interface are compared with a header's.

#include <type_traits>

namespace devq::cuda_test {

/// The same to the calling convention: whole numbers and enumerations of one size and sign; pointers to pointers, to
/// what only the driver knows, or to the same.
template <class Ours, class Theirs>
constexpr bool same_value() {
    if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
        using A = std::remove_pointer_t<Ours>;
        using B = std::remove_pointer_t<Theirs>;
        if constexpr (std::is_const_v<A> != std::is_const_v<B>)
            return false;
        else if constexpr (std::is_class_v<A> || std::is_class_v<B>)
            return std::is_class_v<A> && std::is_class_v<B>; // handles
        else if constexpr (std::is_void_v<A> || std::is_void_v<B>)
            return std::is_void_v<A> && std::is_void_v<B>;
        else
            return same_value<std::remove_cv_t<A>, std::remove_cv_t<B>>();
    } else if constexpr (std::is_enum_v<Theirs>) {
        return std::is_same_v<Ours, int> && sizeof(Theirs) == sizeof(int);
    } else if constexpr (std::is_integral_v<Ours> && std::is_integral_v<Theirs>) {
        return sizeof(Ours) == sizeof(Theirs) && std::is_signed_v<Ours> == std::is_signed_v<Theirs>;
    } else {
        return std::is_same_v<Ours, Theirs>;
    }
}

template <class Ours, class Theirs>
struct SameFunction : std::false_type {};
template <class R, class... P, class OtherR, class... OtherP>
requires(sizeof...(P) == sizeof...(OtherP)) struct SameFunction<R(P...), OtherR(OtherP...)>
    : std::bool_constant<same_value<R, OtherR>() && (same_value<P, OtherP>() && ...)> {
};

} // namespace devq::cuda_test
