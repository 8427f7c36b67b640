#include "support.hpp"
#include <cstdlib>
#include <filesystem>

namespace devq::test {

Bench::Bench(unsigned threads)
    : pool(std::make_shared<cpu::ThreadPool>(threads)), account(std::make_shared<cpu::MemoryAccount>()) {
    account->limit = std::uint64_t{1} << 30;
}

std::unique_ptr<backend::Queue> Bench::queue() const { return std::make_unique<cpu::Queue>(pool); }

std::shared_ptr<backend::Memory> Bench::memory(std::size_t bytes) const {
    auto memory = std::make_shared<cpu::Memory>(account, bytes);
    std::memset(memory->host_address(), 0, bytes);
    return memory;
}

std::shared_ptr<backend::Kernel> group_kernel(void (*body)(const devq_host_dispatch*, devq_u64, devq_u64)) {
    auto host = std::make_shared<devq_host_kernel>();
    host->name = "of_the_test";
    host->run_groups = body;
    return std::make_shared<cpu::Kernel>(*host, host);
}

std::shared_ptr<backend::Kernel> item_kernel(void (*body)(const devq_host_dispatch*, devq_u64, const devq_u64*),
                                             bool barriers, std::size_t local_bytes) {
    auto host = std::make_shared<devq_host_kernel>();
    host->name = "of_the_test";
    host->run_item = body;
    host->uses_barrier = barriers;
    host->local_bytes = local_bytes;
    return std::make_shared<cpu::Kernel>(*host, host);
}

backend::Argument buffer(std::shared_ptr<backend::Memory> memory) {
    backend::Argument argument;
    argument.kind = backend::Argument::Kind::buffer;
    argument.memory = std::move(memory);
    return argument;
}

backend::Argument local(std::size_t bytes) {
    backend::Argument argument;
    argument.kind = backend::Argument::Kind::local;
    argument.size = bytes;
    return argument;
}

backend::LaunchRange range(std::size_t global, std::size_t local_size) {
    backend::LaunchRange range;
    range.global = {global, 1, 1};
    range.local = {local_size, 1, 1};
    return range;
}

Setting::Setting(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) {
        before_ = before;
        had_ = true;
    }
    if (value != nullptr)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

Setting::~Setting() {
    if (had_)
        setenv(name_.c_str(), before_.c_str(), 1);
    else
        unsetenv(name_.c_str());
}

std::string build_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

std::string source_folder() {
    std::filesystem::path file(__FILE__); // relative to the build folder where Meson compiles
    if (file.is_relative())
        file = std::filesystem::path(build_folder()) / file;
    return file.parent_path().parent_path().parent_path().parent_path().lexically_normal();
}

} // namespace devq::test
