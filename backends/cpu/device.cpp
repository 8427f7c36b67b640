#include "device.hpp"
#include "builtin_index.hpp"
#include "queue.hpp"
#include <algorithm>
#include <sched.h>
#include <system_error>

namespace devq::cpu {

unsigned usable_processors() noexcept {
    // The mask must be as large as the machine's: ask with larger ones until it fits.
    for (int count = 1024; count <= (1 << 20); count *= 2) {
        cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(count));
        if (set == nullptr)
            break;
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
        const bool fits = sched_getaffinity(0, bytes, set) == 0;
        const int usable = fits ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (fits)
            return static_cast<unsigned>(std::max(1, usable));
    }
    return std::max(1u, std::thread::hardware_concurrency());
}

Device::Device(const Isa& isa) : isa_(isa), account_(std::make_shared<MemoryAccount>()) {
    account_->limit = machine_memory_bytes();
    capabilities_.max_group = {1024, 1024, 1024};
    capabilities_.max_group_items = 1024;
    capabilities_.local_memory_bytes = 512 << 10; // about what a core's second cache holds
    capabilities_.max_allocation_bytes = account_->limit;
    capabilities_.max_argument_bytes = 4096;
    capabilities_.f64 = true;
    capabilities_.vector_width = vector_width(isa.level);
    capabilities_.preferred_group = 1;
    capabilities_.device_class = "cpu-v" + std::to_string(isa.level);
    try {
        pool_ = std::make_shared<ThreadPool>(usable_processors());
    } catch (const std::system_error& error) {
        throw Error(ErrorCode::unavailable, "open_device", std::string("no thread can be started: ") + error.what(),
                    "Raise the limit on processes (ulimit -u).");
    }
}

std::shared_ptr<backend::Memory> Device::allocate(std::size_t bytes) {
    return std::make_shared<Memory>(account_, bytes);
}

std::unique_ptr<backend::Queue> Device::create_queue() { return std::make_unique<Queue>(pool_); }

HostCompiler Device::compiler() const {
    HostCompiler compiler;
    compiler.program = find_host_compiler();
    compiler.flags = kernel_flags(isa_);
    compiler.limit = compile_limit();
    return compiler;
}

std::shared_ptr<backend::Program> Device::build(const backend::ProgramSource& source) {
    return build_program(compiler(), source.text);
}

std::string Device::build_identity() const {
    try {
        return identity_of(compiler());
    } catch (const Error&) {
        return {}; // no compiler: build() says so
    }
}

std::shared_ptr<backend::Program> Device::load_program(std::span<const std::byte> binary) {
    return cpu::load_program(kernel_flags(isa_), binary);
}

std::shared_ptr<backend::Program> Device::builtin(const backend::BuiltinVariant& variant) {
    for (const BuiltinEntry& entry : builtin_entries())
        if (entry.level == isa_.level && entry.kernel_file == variant.kernel_file &&
            entry.constants == variant.constants)
            return std::make_shared<Program>(*entry.table, nullptr);
    return nullptr;
}

} // namespace devq::cpu
