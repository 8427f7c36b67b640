#pragma once
/// The trials of `devq info`: each a small kernel or call that is really run.

#include <devq/devq.hpp>
#include <map>
#include <optional>
#include <string>

namespace devq::tools {

/// A device under trial, with the kernels that the trials share. Kernels are built together, which takes one compiler's
/// run; apart only where that fails, so that one that a device cannot do takes no other along.
class Trial {
public:
    explicit Trial(Device opened) : device(std::move(opened)), queue(device.create_queue()) {}
    Kernel kernel(const std::string& name);

    const Device device;
    const Queue queue;

private:
    Program program_of(const std::string& name);
    std::optional<Program> together_;
    bool together_failed_ = false;
    std::map<std::string, Program> apart_;
};

/// What a trial found: for a yes or no 1 or 0, else how much works of what was `asked` for. `reason` says what is
/// wrong. Throws what the device throws.
struct Finding {
    std::uint64_t value = 0;
    std::string reason;
};

Finding try_half_storage(Trial& trial);
Finding try_half_vectors(Trial& trial);
Finding try_bfloat_storage(Trial& trial);
Finding try_double(Trial& trial);
Finding try_local_memory(Trial& trial, std::uint64_t bytes);
Finding try_group(Trial& trial, std::uint64_t items);
Finding try_atomics(Trial& trial);
Finding try_long_atomics(Trial& trial);
Finding try_printf(Trial& trial);
Finding try_event_timing(Trial& trial);
Finding try_queue_concurrency(Trial& trial);

} // namespace devq::tools
