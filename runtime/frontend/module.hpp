#pragma once
#include "frontend.hpp"
#include "syntax.hpp"

namespace devq::frontend {

class Module {
public:
    Sources sources;
    Tokens tokens; ///< preprocessed
    Program program;
    std::vector<KernelSignature> signatures;
    bool contracts = true; ///< products and sums may be fused
};

/// Checks what only the whole program shows (recursion, kernels' parameters) and describes its kernels.
std::vector<KernelSignature> make_signatures(const Sources& sources, const Program& program);

/// What a work-item's private variables may take, in bytes, through all the functions that are active at once: the
/// smallest stack that the cpu device keeps them on, a fiber's, has 1 MiB.
constexpr std::size_t most_private_bytes = 256 << 10;

/// Refuses kernels that need more.
void check_private_memory(const Sources& sources, const Program& program);

} // namespace devq::frontend
