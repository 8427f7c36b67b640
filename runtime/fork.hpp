#pragma once
#include <cstdint>

namespace devq::detail {

/// Rises by one in every forked child: what was opened under another value belongs to an ancestor. Vendor drivers and
/// thread pools do not survive fork(), so that such a device may only be refused. A plain load: cheap on every launch.
std::uint64_t fork_generation() noexcept;

} // namespace devq::detail
