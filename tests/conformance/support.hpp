#pragma once
/// Mode support: what a device can do, found by doing it.

#include "suite.hpp"

namespace devq::conformance {

/// An operation and a type on a device.
struct SupportRow {
    std::string op, dtype;
    bool supported = false;
    bool failed = false;            ///< neither supported nor with a written reason: a mistake somewhere
    std::vector<std::string> paths; ///< that ran: "portable", "cublaslt", ...; the smallest case's first
    std::string reason;             ///< why not supported
    Result smallest;                ///< of the smallest case that did anything; test is null where there is none
};

/// An operation and a type that have no cases, and why; globs. Everything has f32, f16 and bf16, or is listed here.
struct Gap {
    std::string_view op, dtype, reason;
};
std::span<const Gap> known_gaps();

/// The rows that `filter` leaves: every operation that has cases, in f32, f16, bf16 and whatever else it has cases in.
std::vector<std::pair<std::string, std::string>> support_rows(const Filter& filter);

/// Runs the operation's smallest case that is not empty, one of middle size and its largest (`quick`: the smallest
/// alone). Supported: they all pass. Not supported: one throws `unsupported`, or is a known exception, or the pair is
/// among `gaps`. Failed: a wrong result or another error; a pair without cases and without a gap; a gap with cases.
SupportRow try_support(const Queue& queue, const std::string& op, const std::string& dtype, std::uint64_t seed,
                       bool quick, std::span<const Gap> gaps = known_gaps());

} // namespace devq::conformance
