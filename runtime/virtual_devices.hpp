#pragma once
/// DEVQ_VIRTUAL_DEVICES: several devices on each device of a backend, to try on one machine what a program does with
/// many. Parts of one device have queues and programs of their own, and an equal share of its memory each; its cores
/// serve them all. Grammar: list := term{','term}; term := backend'='N.

#include "backend.hpp"
#include <memory>
#include <string_view>

namespace devq::detail {

inline constexpr unsigned most_parts = 64;

/// Into how many parts `text` (the variable's value) splits each device of `backend`; 1 where it says nothing of it.
/// Throws invalid_argument with a caret under the fault and the grammar.
unsigned virtual_parts(std::string_view text, std::string_view backend);
/// The same of the variable itself.
unsigned virtual_parts(std::string_view backend);

/// Each device of `found` becomes `parts` of them, in its place; ids are the caller's.
void split(std::vector<DeviceInfo>& found, unsigned parts);

/// `whole` with at most `memory_bytes` (0: no limit) for all its blocks together.
std::shared_ptr<backend::Device> make_part(std::shared_ptr<backend::Device> whole, std::uint64_t memory_bytes);

} // namespace devq::detail
