// What the tools use of libfmt, for the portable tree: emitted here, the linker needs no library for it.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace devq::portable {

extern std::string (*const fmt_inside)(fmt::string_view, fmt::format_args);
std::string (*const fmt_inside)(fmt::string_view, fmt::format_args) = fmt::vformat;

} // namespace devq::portable
