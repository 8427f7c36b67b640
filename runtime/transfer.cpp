#include "transfer.hpp"
#include <algorithm>
#include <array>

namespace devq::detail {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{8} << 20;

/// One piece on its way. Where a side's memory can be touched by the host, `address` is there and nothing is staged.
struct Piece {
    std::unique_ptr<std::byte[]> staging;
    std::byte* address = nullptr;
    std::shared_ptr<backend::Event> arrived; ///< null where the bytes need not be read
    std::size_t offset = 0, bytes = 0;
};

class StagedCopy final : public ParkedCommand {
public:
    explicit StagedCopy(Transfer transfer) : ParkedCommand("Queue::copy"), transfer_(std::move(transfer)) {
        source_host_ = address(*transfer_.source, transfer_.source_offset);
        destination_host_ = source_host_ ? nullptr : address(*transfer_.destination, transfer_.destination_offset);
        if (!source_host_ && !destination_host_)
            for (Piece& piece : pieces_)
                piece.staging.reset(new std::byte[std::min(transfer_.bytes, chunk_bytes)]);
    }

    /// A device may still be writing into the staging memory.
    ~StagedCopy() override {
        for (Piece& piece : pieces_) {
            try {
                if (piece.arrived)
                    piece.arrived->wait();
            } catch (...) {
                // Said already where it happened; only the end of it matters here.
            }
        }
    }

    Step run(QueueState& queue) override {
        if (!fenced_ && !pass_fence(queue))
            return Step::waiting;
        if (fence_failed_)
            return Step::done; // the backend's queue has the failure, and drops what comes
        at_ = queue.device.get();
        try {
            return advance(queue);
        } catch (...) {
            fail(queue);
            return Step::done;
        }
    }

private:
    static std::byte* address(const BufferState& buffer, std::size_t offset) {
        auto* base = static_cast<std::byte*>(buffer.memory->host_address());
        return base ? base + offset : nullptr;
    }

    /// All that stands before the copy in its queue has to be done: then both sides are idle, and no call here blocks.
    bool pass_fence(QueueState& queue) {
        if (!fence_) {
            fence_ = queue.native->record();
            queue.native->flush();
        }
        if (!fence_->done())
            return false;
        fenced_ = true;
        try {
            fence_->wait();
        } catch (...) {
            fence_failed_ = true;
        }
        return true;
    }

    backend::Queue& side(QueueState& queue, const BufferState& buffer) {
        at_ = buffer.device.get();
        return buffer.device == queue.device ? *queue.native : queue.peer(buffer.device);
    }

    Step advance(QueueState& queue) {
        if (next_ == 0)
            read_next(queue);
        while (written_ < transfer_.bytes) {
            Piece& piece = pieces_[front_];
            if (piece.arrived) {
                at_ = transfer_.source->device.get();
                if (!piece.arrived->done())
                    return Step::waiting;
                piece.arrived->wait();
                piece.arrived.reset();
            }
            front_ ^= 1; // the other piece is read while this one is written
            read_next(queue);
            write(queue, piece);
        }
        if (transfer_.destination->device == queue.device || destination_host_)
            return Step::done;
        backend::Queue& destination = side(queue, *transfer_.destination);
        if (!end_) {
            end_ = destination.record();
            destination.flush();
        }
        if (!end_->done())
            return Step::waiting;
        end_->wait();
        return Step::done;
    }

    void read_next(QueueState& queue) {
        if (next_ == transfer_.bytes)
            return;
        Piece& piece = pieces_[front_];
        piece.offset = next_;
        piece.bytes = std::min(chunk_bytes, transfer_.bytes - next_);
        piece.address = source_host_        ? source_host_ + next_
                        : destination_host_ ? destination_host_ + next_
                                            : piece.staging.get();
        next_ += piece.bytes;
        if (source_host_)
            return;
        backend::Queue& source = side(queue, *transfer_.source);
        source.read(piece.address, transfer_.source->memory, transfer_.source_offset + piece.offset, piece.bytes);
        piece.arrived = source.record();
        source.flush();
    }

    void write(QueueState& queue, const Piece& piece) {
        if (!destination_host_)
            side(queue, *transfer_.destination)
                .write(transfer_.destination->memory, transfer_.destination_offset + piece.offset, piece.address,
                       piece.bytes);
        written_ += piece.bytes;
    }

    /// The queue fails with what happened on either side; the loss of the other device is not this one's.
    void fail(QueueState& queue) noexcept {
        try {
            rethrow(*at_, operation);
        } catch (...) {
            queue.failure = std::current_exception();
        }
        try {
            if (at_ == queue.device.get()) {
                queue.native->wait(); // a read that was queued before the failure still writes into the staging
                return;
            }
            for (const auto& buffer : {transfer_.source, transfer_.destination})
                if (buffer->device.get() == at_)
                    queue.peer(buffer->device).wait(); // read once, so that the next copy finds the side clear
        } catch (...) {
            // The failure that has been kept above.
        }
    }

    Transfer transfer_;
    std::byte* source_host_ = nullptr;
    std::byte* destination_host_ = nullptr;
    std::shared_ptr<backend::Event> fence_, end_;
    bool fenced_ = false, fence_failed_ = false;
    std::array<Piece, 2> pieces_;
    std::size_t front_ = 0;     ///< the piece that is written next
    std::size_t next_ = 0;      ///< bytes whose reading has been started
    std::size_t written_ = 0;   ///< bytes whose writing has been started
    DeviceState* at_ = nullptr; ///< the device that a failure would be about
};

} // namespace

std::unique_ptr<ParkedCommand> staged_copy(Transfer transfer) {
    return std::make_unique<StagedCopy>(std::move(transfer));
}

} // namespace devq::detail
