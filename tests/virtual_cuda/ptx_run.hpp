#pragma once
#include "memory.hpp"
#include "ptx.hpp"

namespace virtual_cuda {

struct Launch {
    std::array<unsigned, 3> grid, block;
    std::size_t dynamic = 0;
    std::vector<std::byte> parameters;
};

/// Runs all blocks on all cores. What a kernel does wrong is a line on stderr, with kernel, thread and PTX line.
devq::cuda::abi::Result run(const Kernel& kernel, const Launch& launch, const Memory& memory);

/// Instructions that threads have run in this process, a thread and an instruction at a time; for benchmarks.
std::uint64_t instructions_run() noexcept;

} // namespace virtual_cuda
