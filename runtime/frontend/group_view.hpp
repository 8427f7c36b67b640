#pragma once
/// Whether a kernel can tell one work-group from another. Where it cannot, the CPU runs neighbouring groups as one,
/// which makes the loop over items long enough for vectors however small the groups are.

#include "syntax.hpp"

namespace devq::frontend {

/// Does the kernel, or what it calls, ask for anything of its group (ids, sizes, local memory, copies), or print, which
/// goes in the order of groups?
bool sees_groups(const Program& program, const Function& kernel);

} // namespace devq::frontend
