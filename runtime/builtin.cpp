#include "builtin.hpp"
#include "frontend/frontend.hpp"
#include "notice.hpp"
#include "queue_state.hpp"
#include "state.hpp"
#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace devq::detail {

namespace {

/// Calls `each(name, value)` for the pairs of "NAME=VALUE NAME=VALUE"; stops when it returns false.
template <class Each>
bool each_constant(std::string_view constants, Each&& each) {
    while (!constants.empty()) {
        const auto end = std::min(constants.find(' '), constants.size());
        const std::string_view pair = constants.substr(0, end);
        constants.remove_prefix(std::min(end + 1, constants.size()));
        const auto equals = pair.find('=');
        if (equals != pair.npos && !each(pair.substr(0, equals), pair.substr(equals + 1)))
            return false;
    }
    return true;
}

struct Key {
    std::string_view file, name, wanted;
    friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
        const std::hash<std::string_view> hash;
        return hash(key.file) ^ (hash(key.name) * 31) ^ (hash(key.wanted) * 1009);
    }
};

struct Entry {
    std::string file, name, wanted; // what the key's views point to
    BuiltinKernel kernel;
};

unsigned group_limit(const Capabilities& capabilities, const BuiltinKernel& builtin) {
    std::size_t most = std::max(constant_int(builtin.constants, "GROUP"), 1);
    for (const std::size_t limit :
         {capabilities.max_group_items, capabilities.max_group[0], builtin.kernel->max_group_items()})
        if (limit > 0)
            most = std::min(most, limit);
    return static_cast<unsigned>(std::bit_floor(most));
}

/// A CPU without a compiled kernel for a listed row is a fault of the build: it is mended, but not in silence.
void say_compiled_now(const DeviceState& device, const VariantRow& row) {
    notice(device.info.id + ": kernel " + std::string(row.kernel_file) + " (" + std::string(row.constants) +
           ") was not compiled with devq: using the host compiler now");
}

std::shared_ptr<backend::Program> build(DeviceState& device, const VariantRow& row) {
    if (auto program = device.device->builtin({row.kernel_file, row.constants}))
        return program;
    const auto language = device.device->language();
    if (language == backend::SourceLanguage::host_cpp)
        say_compiled_now(device, row);
    return device.programs->get(*device.device, device.info.backend,
                                variant_source(language, row, builtin_source(row.kernel_file)));
}

} // namespace

class BuiltinKernels {
public:
    const BuiltinKernel& get(DeviceState& device, const Key& key) {
        {
            const std::shared_lock lock(mutex_);
            if (const auto found = entries_.find(key); found != entries_.end())
                return found->second->kernel;
        }
        const std::lock_guard building(building_); // one build at a time, while others go on with what there is
        {
            const std::shared_lock lock(mutex_);
            if (const auto found = entries_.find(key); found != entries_.end())
                return found->second->kernel;
        }
        auto entry = make(device, key);
        const Key own{entry->file, entry->name, entry->wanted};
        const std::lock_guard lock(mutex_);
        return entries_.emplace(own, std::move(entry)).first->second->kernel;
    }

private:
    std::unique_ptr<Entry> make(DeviceState& device, const Key& key) {
        const std::string operation(key.file);
        const Capabilities& capabilities = device.device->capabilities();
        const VariantRow* row = find_variant(variant_rows(), capabilities, key.file, key.wanted);
        if (!row)
            throw Error(ErrorCode::unsupported, operation,
                        device.info.id + " (class " + capabilities.device_class + ") has no kernel variant with " +
                            std::string(key.wanted),
                        "Add a row to kernels/variants and build devq again, or use another device.");
        return call_backend(device, operation.c_str(), [&] {
            auto& program = programs_[row];
            if (!program)
                program = build(device, *row);
            auto entry = std::make_unique<Entry>(
                Entry{std::string(key.file), std::string(key.name), std::string(key.wanted), {}});
            BuiltinKernel& builtin = entry->kernel;
            builtin.kernel = program->kernel(entry->name);
            builtin.constants = row->constants;
            builtin.group = group_limit(capabilities, builtin);
            builtin.vector = std::max(constant_int(row->constants, "VW"), 1);
            builtin.unroll = std::max(constant_int(row->constants, "UNROLL"), 1);
            return entry;
        });
    }

    std::shared_mutex mutex_; ///< entries_
    std::unordered_map<Key, std::unique_ptr<Entry>, KeyHash> entries_;
    std::mutex building_; ///< programs_
    std::map<const VariantRow*, std::shared_ptr<backend::Program>> programs_;
};

std::shared_ptr<BuiltinKernels> make_builtin_kernels() { return std::make_shared<BuiltinKernels>(); }

std::string_view constant_value(std::string_view constants, std::string_view name) noexcept {
    std::string_view found;
    each_constant(constants, [&](std::string_view n, std::string_view value) {
        if (n != name)
            return true;
        found = value;
        return false;
    });
    return found;
}

int constant_int(std::string_view constants, std::string_view name) noexcept {
    const std::string_view text = constant_value(constants, name);
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

backend::ProgramSource variant_source(backend::SourceLanguage language, const VariantRow& row, std::string_view text) {
    backend::ProgramSource source;
    source.file_name = std::string(row.kernel_file) + ".cl";
    std::vector<std::pair<std::string, std::string>> defines;
    each_constant(row.constants, [&](std::string_view name, std::string_view value) {
        defines.emplace_back(name, value);
        return true;
    });
    if (language == backend::SourceLanguage::opencl_c) {
        source.text = text;
        source.defines = std::move(defines);
        return source;
    }
    const bool host = language == backend::SourceLanguage::host_cpp;
    frontend::Options options;
    options.file_name = source.file_name;
    options.defines = std::move(defines);
    frontend::WriteOptions write;
    write.target = host ? frontend::Target::host : frontend::Target::cuda;
    write.single_item_groups = host && constant_int(row.constants, "GROUP") == 1;
    source.text = frontend::write(*frontend::parse(text, options), write);
    return source;
}

const VariantRow* find_variant(std::span<const VariantRow> rows, const Capabilities& capabilities,
                               std::string_view kernel_file, std::string_view wanted) noexcept {
    const VariantRow* narrowest = nullptr;
    for (const VariantRow& row : rows) {
        if (row.kernel_file != kernel_file || row.device_class != capabilities.device_class)
            continue;
        if (!each_constant(wanted, [&](std::string_view name, std::string_view value) {
                return constant_value(row.constants, name) == value;
            }))
            continue;
        if (static_cast<std::uint64_t>(constant_int(row.constants, "LOCAL")) * 1024 > capabilities.local_memory_bytes)
            continue;
        const int vector = constant_int(row.constants, "VW");
        if (vector <= static_cast<int>(capabilities.vector_width))
            return &row;
        if (!narrowest || vector < constant_int(narrowest->constants, "VW"))
            narrowest = &row;
    }
    return narrowest;
}

const BuiltinKernel& builtin_kernel(const Queue& queue, std::string_view kernel_file, std::string_view name,
                                    std::string_view wanted) {
    DeviceState& device = *queue.state()->device;
    return device.builtins->get(device, {kernel_file, name, wanted});
}

} // namespace devq::detail
