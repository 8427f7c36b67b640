#pragma once
/// What keeps the items of a group from being told independent of one another. A work-item's array, or a variable whose
/// address is taken, may stay in memory, and as compilers see it that is one place for all items of the loop. Told that
/// no item waits for another (GCC's ivdep, clang's assume_safety), they let one item read there what another wrote:
/// both pragmas are about all memory of the loop, the loop's own variables included.

#include "syntax.hpp"

namespace devq::frontend {

/// Has the function, or what it calls, private arrays or addresses of private variables? Those that are only handed to
/// built-in functions such as sincos do not count: they always come to registers.
bool has_item_memory(const Program& program, const Function& function);

/// The same of what it calls alone.
bool calls_with_item_memory(const Program& program, const Function& kernel);

} // namespace devq::frontend
