#pragma once
/// Copies between the buffers of two devices, through host memory in pieces.

#include "queue_state.hpp"

namespace devq::detail {

struct Transfer {
    std::shared_ptr<BufferState> destination;
    std::size_t destination_offset = 0;
    std::shared_ptr<BufferState> source;
    std::size_t source_offset = 0;
    std::size_t bytes = 0; ///< > 0; both ranges have been checked
};

/// A parked command that copies when its turn has come; the queue goes on when all bytes are there.
std::unique_ptr<ParkedCommand> staged_copy(Transfer transfer);

} // namespace devq::detail
