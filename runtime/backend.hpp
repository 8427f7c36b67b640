#pragma once
/// The contract that a backend module fulfils. A module is a shared library `libdevq-NAME.so` that exports
/// `devq_backend_module`; one whose vendor library is missing fails to load (or enumerates nothing, with a reason)
/// alone.
///
/// The runtime validates every argument before it calls, stages copies between devices, picks group sizes, keeps
/// order across devices and falls back; a backend asserts and translates. Unless said otherwise a function throws
/// devq::Error (operation may be left empty: the runtime names it) and is called from any thread.

#include "backend_readings.hpp"
#include "backend_vendor.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <devq/device.hpp>
#include <devq/error.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace devq::detail {
class MemoryBlock;
}

namespace devq::backend {

/// Raised with every change of this header.
inline constexpr std::uint32_t contract_version = 7;

/// What the vendor's own interface calls an object by, whatever it is there (a pointer, a number, an address). Lent: it
/// lives as long as the object that gave it.
using NativeHandle = std::uintptr_t;

/// A block of device memory. The destructor gives it back; it may be called while commands that use the block are still
/// queued only if the backend keeps the block until they are done (each submitted Argument carries a share).
class Memory {
public:
    virtual ~Memory() = default;
    /// Host address when the host can touch the block directly (cpu), else null.
    virtual void* host_address() noexcept { return nullptr; }
    /// What the block's address on the device is a multiple of, in bytes: a power of two.
    virtual std::size_t address_alignment() const noexcept { return 64; }
    /// Optional: cl_mem, CUdeviceptr.
    virtual std::optional<NativeHandle> native_handle() const { return std::nullopt; }

    /// The runtime's own note of who uses the block; null for what it has not allocated. Backends leave it alone.
    detail::MemoryBlock* pool_block = nullptr;
};

/// A point in a queue. Thread-safe.
class Event {
public:
    virtual ~Event() = default;
    virtual bool done() = 0; ///< reached or failed; cheap enough to poll
    virtual void wait() = 0; ///< throws the failure of a command before it, each time
    /// Nanoseconds on the device's own clock when the point was reached; only after done().
    virtual std::uint64_t timestamp_ns() = 0;
    /// Optional: cl_event, CUevent. Throws the failure that the event was recorded behind, where nothing was recorded
    /// then.
    virtual std::optional<NativeHandle> native_handle() { return std::nullopt; }
};

/// A group that fills the device best with some kernel, and how many such groups that takes; 0: nothing is known.
struct GroupAdvice {
    std::size_t items = 0, groups = 0;
};

/// A kernel of a built program, usable on several queues and threads at once (the backend clones or locks).
class Kernel {
public:
    virtual ~Kernel() = default;
    /// Local memory that the kernel itself declares, in bytes, where the backend knows; else 0.
    virtual std::size_t local_bytes() const { return 0; }
    /// Largest group that this kernel can run with on its device (registers and the like); 0 = the device's limit.
    virtual std::size_t max_group_items() const { return 0; }
    virtual GroupAdvice group_advice() const { return {}; }
};

class Program {
public:
    virtual ~Program() = default;
    /// The name exists: the runtime has looked at the signatures (or the kernel is one of devq's own).
    virtual std::shared_ptr<Kernel> kernel(const std::string& name) = 0;
    virtual const std::string& log() const = 0; ///< compiler's warnings
    /// Optional: what load_program() takes; empty where the backend has no binaries.
    virtual std::vector<std::byte> binary() { return {}; }
};

struct Argument {
    enum class Kind { buffer, value, local };
    Kind kind = Kind::value;
    std::shared_ptr<Memory> memory; ///< buffer; null for one of 0 bytes
    const void* value = nullptr;    ///< value: valid during the call only
    std::size_t size = 0;           ///< bytes of value or of local memory
};

struct LaunchRange {
    std::array<std::size_t, 3> global{1, 1, 1};
    std::array<std::size_t, 3> local{1, 1, 1}; ///< divides global; within the limits
    unsigned dimensions = 1;
};

/// Commands that a queue has taken once, to be run again and again: see Queue::capture.
class Sequence {
public:
    virtual ~Sequence() = default;
};

/// Commands in order. The runtime calls one queue from one thread at a time. It waits through events, which do not
/// clear a failure, and calls wait() where one is to be read; commands of 0 bytes or 0 work-items never come here. A
/// failure while a command runs is kept, drops what is queued behind it, and is thrown once by wait().
class Queue {
public:
    virtual ~Queue() = default; ///< waits for what is queued; drops failures (the runtime has read or reported them)
    /// Host to device; `source` may be reused when the call returns.
    virtual void write(const std::shared_ptr<Memory>& destination, std::size_t offset, const void* source,
                       std::size_t bytes) = 0;
    /// Device to host; `destination` is valid until the queue has passed this command.
    virtual void read(void* destination, const std::shared_ptr<Memory>& source, std::size_t offset,
                      std::size_t bytes) = 0;
    /// Within this device, or between it and one that it reaches (Device::reaches).
    virtual void copy(const std::shared_ptr<Memory>& destination, std::size_t destination_offset,
                      const std::shared_ptr<Memory>& source, std::size_t source_offset, std::size_t bytes) = 0;
    /// pattern_size is 1, 2, 4, 8 or 16 and divides offset and bytes.
    virtual void fill(const std::shared_ptr<Memory>& destination, std::size_t offset, std::size_t bytes,
                      const void* pattern, std::size_t pattern_size) = 0;
    virtual void launch(const std::shared_ptr<Kernel>& kernel, const LaunchRange& range,
                        std::span<const Argument> arguments) = 0;
    virtual std::shared_ptr<Event> record() = 0;
    /// `event` is of this device (of any of its queues) and already recorded. Where it fails, this queue fails with it.
    virtual void wait_for(const std::shared_ptr<Event>& event) = 0;
    /// Optional, both: what the device's supports() has said yes to, of exactly this description. The workspace has the
    /// bytes that it asked for, and nobody else uses it until the queue has passed this command. Throws unsupported
    /// where the library changes its mind: then nothing was queued.
    virtual void matmul(const MatmulDescription&, const MatmulOperands&) { throw no_vendor(); }
    virtual void convolve(const ConvolutionDescription&, const ConvolutionOperands&) { throw no_vendor(); }
    virtual void flush() = 0;
    virtual void wait() = 0;
    /// Optional: cl_command_queue, CUstream. Others may submit to it at any time.
    virtual std::optional<NativeHandle> native_handle() const { return std::nullopt; }
    /// Optional: `commands` gives launches, fills and copies to this queue, which runs none of them now but takes them
    /// for replay(); null, with nothing called, where that is no faster than giving them again. Throws (unsupported,
    /// where one of them cannot be taken), and the queue is as it was. What the commands use stays until the sequence
    /// goes.
    virtual std::shared_ptr<Sequence> capture(const std::function<void()>& commands) {
        static_cast<void>(commands);
        return nullptr;
    }
    /// Only of what capture() of a queue of this device gave; in order with the other commands.
    virtual void replay(const std::shared_ptr<Sequence>& sequence) { static_cast<void>(sequence); }

protected:
    static Error no_vendor() {
        return Error(ErrorCode::unsupported, {}, "this backend uses no vendor's library of operations",
                     "Take the portable path.");
    }
};

/// Text that a backend compiles, in the language that its capabilities name.
enum class SourceLanguage { opencl_c, host_cpp, cuda_cpp };

struct ProgramSource {
    std::string text;                                         ///< in the device's SourceLanguage
    std::string file_name;                                    ///< the user's, for messages
    std::vector<std::pair<std::string, std::string>> defines; ///< opencl_c only: the others have them applied
    std::vector<std::string> include_folders;                 ///< opencl_c only
};

/// One of devq's own kernels in one shape: a line of kernels/variants, e.g. {"matmul", "T=f16 VW=16 TM=8 TV=2"}.
struct BuiltinVariant {
    std::string_view kernel_file;
    std::string_view constants; ///< NAME=VALUE pairs, in the variants file's order, single spaces
};

/// Something that a device can do, or how much of it, by a name of docs/cli.md ("f16_arithmetic", "printf"); 0 and 1
/// stand for no and yes.
struct Claim {
    std::string name;
    std::optional<std::uint64_t> advertised; ///< null where the driver does not say
    std::optional<std::uint64_t> verified;   ///< what came of trying it, where only the backend can; else null
    std::string reason;                      ///< why it was not found as advertised
};

struct Examination {
    std::vector<Claim> claims;
    /// Of drivers, libraries and compilers: name ("host_compiler": also a field of JSON), version.
    std::vector<std::pair<std::string, std::string>> versions;
};

/// An opened device. Thread-safe.
class Device {
public:
    virtual ~Device() = default;
    virtual const Capabilities& capabilities() const = 0;
    virtual SourceLanguage language() const = 0;
    /// Throws out_of_memory. bytes > 0 and ≤ max_allocation_bytes; at least 64-byte aligned.
    virtual std::shared_ptr<Memory> allocate(std::size_t bytes) = 0;
    /// Optional: true where a part of memory can stand in a command as a whole does.
    virtual bool has_parts() const { return false; }
    /// Only then: a part of what allocate() gave, which lives on with it; `offset` is a multiple of 512. Calls no
    /// driver.
    virtual std::shared_ptr<Memory> part(const std::shared_ptr<Memory>& whole, std::size_t offset, std::size_t bytes) {
        static_cast<void>(whole), static_cast<void>(offset), static_cast<void>(bytes);
        return nullptr;
    }
    /// Optional: true where this device's queues can copy to and from `other`, of the same backend; a first call may
    /// prepare both for it.
    virtual bool reaches(Device& other) {
        static_cast<void>(other);
        return false;
    }
    /// Optional: true where a command that fails while it runs is the loss of the device, so that no queue fails alone.
    virtual bool fails_as_a_whole() const { return false; }
    virtual std::unique_ptr<Queue> create_queue() = 0;
    /// Throws build_failed with the compiler's log.
    virtual std::shared_ptr<Program> build(const ProgramSource& source) = 0;
    /// Optional: all that decides what a build of the same source gives besides the device class: device, architecture,
    /// versions of driver and compiler, options. Empty: binaries are not kept on disk.
    virtual std::string build_identity() const { return {}; }
    /// Optional: a program from binary(); null when the bytes do not fit this device or driver.
    virtual std::shared_ptr<Program> load_program(std::span<const std::byte>) { return nullptr; }
    /// Optional: devq's own kernel compiled ahead with this module; null when this variant is not among them.
    virtual std::shared_ptr<Program> builtin(const BuiltinVariant&) { return nullptr; }

    /// Optional, both: whether the vendor's library does this, on this device. Looks for the way to do it and keeps
    /// what it found: asked before each call, it has to be quick the second time. Never throws for what a library
    /// lacks.
    virtual VendorSupport supports(const MatmulDescription&) { return {}; }
    virtual VendorSupport supports(const ConvolutionDescription&) { return {}; }

    /// Optional: what the driver claims besides the capabilities, tried where only the backend can try it. May build
    /// and run kernels, and take seconds.
    virtual Examination examine() { return {}; }

    /// Optional: cl_device_id, CUdevice.
    virtual std::optional<NativeHandle> native_device() const { return std::nullopt; }
    /// Optional: cl_context, CUcontext.
    virtual std::optional<NativeHandle> native_context() const { return std::nullopt; }
    /// Optional, all three: devq's object for one that somebody else has made. Takes a share where the native interface
    /// counts shares, else the owner keeps it alive longer. Throws invalid_argument for one of another device or
    /// context.
    virtual std::unique_ptr<Queue> import_queue(NativeHandle) { throw no_import(); }
    virtual std::shared_ptr<Event> import_event(NativeHandle) { throw no_import(); }
    /// `bytes`: its size, read where the native interface cannot tell, and set where it can.
    virtual std::shared_ptr<Memory> import_memory(NativeHandle, std::size_t& bytes) {
        static_cast<void>(bytes);
        throw no_import();
    }

protected:
    static Error no_import() {
        return Error(ErrorCode::unsupported, {}, "this backend takes no objects of others",
                     "Copy the data through host memory (Queue::write).");
    }
};

struct Enumeration {
    std::vector<DeviceInfo> devices; ///< id, backend filled in; in the backend's own order: index N is "backend:N"
    std::vector<Unavailable> unavailable;
};

/// A backend lives as long as the process, once loaded.
class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string_view name() const = 0;
    /// Cheap: no driver context. Never throws for what is missing: says it in `unavailable`.
    virtual Enumeration enumerate() = 0;
    /// The N-th device of the last enumeration.
    virtual std::shared_ptr<Device> open(std::size_t index) = 0;
    /// Optional: what the N-th device of the last enumeration is doing. Opens no device, takes none of its memory; says
    /// what cannot be read, and throws nothing for it.
    virtual Readings readings(std::size_t index) {
        static_cast<void>(index);
        return {};
    }
    /// Optional: a device in a context that somebody else has made; `index` is set to its place in the last
    /// enumeration. Throws invalid_argument when it has none, or the context is not the device's.
    virtual std::shared_ptr<Device> import_device(NativeHandle device, NativeHandle context, std::size_t& index) {
        static_cast<void>(device), static_cast<void>(context), static_cast<void>(index);
        throw Error(ErrorCode::unsupported, {}, "this backend takes no contexts of others", "Use open_device().");
    }
};

/// What a module exports: `extern "C" const devq::backend::Module* devq_backend_module();`
struct Module {
    std::uint32_t contract_version = backend::contract_version;
    std::uint32_t contract_size = sizeof(Argument) + sizeof(LaunchRange) + sizeof(ProgramSource) +
                                  sizeof(BuiltinVariant) + sizeof(DeviceInfo) + sizeof(Capabilities) +
                                  sizeof(Unavailable) + sizeof(Enumeration) + sizeof(MatmulDescription) +
                                  sizeof(ConvolutionDescription) + sizeof(GroupAdvice) + sizeof(Readings);
    const char* devq_version = DEVQ_VERSION_STRING; ///< the library loads modules of its own release only
    std::unique_ptr<Backend> (*create)() = nullptr;
};

inline constexpr const char* module_symbol = "devq_backend_module";

} // namespace devq::backend
