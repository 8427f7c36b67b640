#pragma once
/// CUDA C++ text into what the driver loads.

#include "backend.hpp"
#include "nvrtc.hpp"

namespace devq::cuda {

struct Compiled {
    Target target;
    std::vector<std::byte> image; ///< machine code, or PTX with its final zero
    std::string log;              ///< warnings
};

/// Throws build_failed with the compiler's log.
Compiled compile(const Nvrtc& compiler, const Target& target, const backend::ProgramSource& source);

/// Version and options of the compiler: what besides text and target decides the result.
std::string identity(const Nvrtc& compiler);

} // namespace devq::cuda
