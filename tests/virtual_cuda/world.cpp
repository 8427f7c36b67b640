#include "world.hpp"
#include "check_sticky.hpp"
#include "ptx_run.hpp"
#include <cstdio>
#include <cstdlib>
#include <devq/api.hpp>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

namespace virtual_cuda {

namespace {

std::string variable(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : otherwise;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);)
        if (!part.empty())
            parts.push_back(part);
    return parts;
}

/// CAPABILITY[,MIB[,PCI]]
std::unique_ptr<Device> make_device(const std::string& text, int number) {
    const std::vector<std::string> fields = split(text, ',');
    auto device = std::make_unique<Device>();
    device->number = number;
    device->name = "devq simulator " + fields.at(0);
    int major = 0, minor = 0;
    std::sscanf(fields[0].c_str(), "%d.%d", &major, &minor);
    device->capability = major * 10 + minor;
    device->pci_domain = 0xf0; // unlike any real machine's
    device->pci_bus = static_cast<unsigned>(number) + 1;
    if (fields.size() > 2)
        std::sscanf(fields[2].c_str(), "%x:%x:%x", &device->pci_domain, &device->pci_bus, &device->pci_slot);
    const std::size_t mebibytes = fields.size() > 1 ? std::stoul(fields[1]) : 1024;
    device->memory = Memory(mebibytes << 20, 0x700000000000ull + (static_cast<unsigned long long>(number) << 40));
    return device;
}

} // namespace

std::size_t Device::shared_limit() const {
    return static_cast<std::size_t>(capability >= 90 ? 227 : capability >= 80 ? 99 : 64) << 10;
}

abi::Uuid Device::uuid() const {
    return {{'d', 'e', 'v', 'q', '\xf0', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, static_cast<char>(number)}};
}

World& World::instance() {
    static World world;
    return world;
}

World::World() {
    version = std::stoi(variable("VIRTUAL_CUDA_VERSION", "13000"));
    for (const std::string& text : split(variable("VIRTUAL_CUDA_DEVICES", "7.6;8.1;9.1"), ';'))
        devices.push_back(make_device(text, static_cast<int>(devices.size())));
    plan(variable("VIRTUAL_CUDA_FAULTS", ""));
}

void World::plan(const std::string& list) {
    calls_.clear();
    faults_.clear();
    for (const std::string& text : split(list, ';')) {
        Fault fault;
        const std::size_t at = text.find('@'), equals = text.find('=');
        fault.name = text.substr(0, at);
        fault.at = std::stoul(text.substr(at + 1));
        fault.slow = text.substr(equals + 1) == "slow";
        fault.result = fault.slow ? abi::success : std::stoi(text.substr(equals + 1));
        faults_.push_back(fault);
    }
}

World::~World() { report(); }

unsigned long World::calls(const std::string& name) const {
    const auto found = calls_.find(name);
    return found != calls_.end() ? found->second : 0;
}

/// What is still there when the process ends.
void World::report() const {
    const std::string file = variable("VIRTUAL_CUDA_REPORT", "");
    if (file.empty())
        return;
    std::ofstream out(file);
    for (const auto& device : devices)
        if (!device->broken)
            out << "device " << device->number << ": " << device->memory.blocks() << " blocks, "
                << device->streams.size() << " streams, " << device->events.size() << " events, "
                << device->modules.size() << " modules, " << device->graphs.size() + device->launchable.size()
                << " graphs, retained " << device->retained << '\n';
        else
            out << "device " << device->number << ": lost\n";
    out << "host: " << host_blocks.size() << " blocks\n";
}

abi::Result World::fault(const std::string& name) {
    const unsigned long one = ++calls_[name], any = name == "kernel" ? calls_["any"] : ++calls_["any"];
    for (const Fault& fault : faults_)
        if ((fault.name == name && fault.at == one) || (fault.name == "any" && fault.at == any && name != "kernel")) {
            if (fault.slow)
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return fault.result;
        }
    return abi::success;
}

int World::library_fault(const std::string& name) {
    const unsigned long one = ++calls_[name];
    for (const Fault& fault : faults_)
        if (fault.name == name && fault.at == one)
            return fault.result;
    return 0;
}

bool World::is_device_readable(const void* address) const {
    auto after = host_blocks.upper_bound(const_cast<void*>(address));
    if (after == host_blocks.begin())
        return false;
    --after;
    return static_cast<const char*>(address) < static_cast<const char*>(after->first) + after->second;
}

Device*& current() noexcept {
    static thread_local Device* device = nullptr;
    return device;
}

Call::Call(const char* name, Needs needs) : world_(World::instance()), lock_(world_.mutex), device_(current()) {
    if (needs == Needs::nothing)
        return; // such calls never fail
    if (const abi::Result result = world_.fault(name); result != abi::success) {
        if (needs == Needs::context && is_sticky(result) && device_ != nullptr && device_->broken == abi::success)
            device_->broken = result;
        const bool gives_back = std::regex_search(name, std::regex("Destroy|Free|Unload|Release"));
        (gives_back && !is_sticky(result) ? late_ : result_) = result;
    } else if (!world_.initialized && std::string(name) != "cuInit") {
        result_ = abi::not_initialized;
    } else if (needs == Needs::context) {
        result_ = device_ == nullptr || device_->retained == 0 ? 201 : device_->broken;
    }
}

} // namespace virtual_cuda

// For tests in the process itself.
extern "C" DEVQ_API unsigned long virtual_cuda_calls(const char* name);
extern "C" unsigned long virtual_cuda_calls(const char* name) {
    virtual_cuda::World& world = virtual_cuda::World::instance();
    const std::lock_guard lock(world.mutex);
    return world.calls(name);
}
extern "C" DEVQ_API unsigned long virtual_cuda_instructions();
extern "C" unsigned long virtual_cuda_instructions() { return virtual_cuda::instructions_run(); }
extern "C" DEVQ_API unsigned long virtual_cuda_faults(const char* list);
extern "C" unsigned long virtual_cuda_faults(const char* list) {
    virtual_cuda::World& world = virtual_cuda::World::instance();
    const std::lock_guard lock(world.mutex);
    const unsigned long calls = world.calls();
    world.plan(list);
    return calls;
}
