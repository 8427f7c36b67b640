#include "kernel.hpp"
#include "frontend/frontend.hpp"
#include "memory.hpp"
#include <algorithm>
#include <array>

namespace devq::cuda {

namespace {

/// Local memory of any kernel without asking for more.
constexpr std::size_t plain_local_bytes = 48 << 10;
/// Launches with so many arguments at most allocate nothing on the host.
constexpr std::size_t usual_arguments = 32;

/// What the entry that the front end writes takes in place of a buffer (an address) or local memory (its size).
union Packed {
    abi::DevicePointer address;
    unsigned local;
};

} // namespace

Kernel::Kernel(std::shared_ptr<LoadedModule> module, const std::string& name)
    : module_(std::move(module)), name_(name) {
    Context& context = module_->context();
    const std::string entry = frontend::cuda_entry_name(name_);
    if (const abi::Result result = context.driver().module_function(&function_, module_->handle(), entry.c_str());
        result != abi::success)
        context.fail(result, "cuModuleGetFunction", "no kernel \"" + name_ + '"');
    local_bytes_ = static_cast<std::size_t>(std::max(attribute(abi::function_shared_memory), 0));
    max_group_items_ = static_cast<std::size_t>(std::max(attribute(abi::function_max_threads), 0));
    dynamic_limit_ = plain_local_bytes - std::min(local_bytes_, plain_local_bytes);
    int groups = 0, items = 0;
    context.check(context.driver().occupancy(&groups, &items, function_, nullptr, 0, 0),
                  "cuOccupancyMaxPotentialBlockSize");
    advice_ = {static_cast<std::size_t>(std::max(items, 0)), static_cast<std::size_t>(std::max(groups, 0))};
}

int Kernel::attribute(int which) const {
    int value = 0;
    module_->context().check(module_->context().driver().function_get(&value, which, function_), "cuFuncGetAttribute");
    return value;
}

void Kernel::allow_dynamic_memory(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes <= dynamic_limit_)
        return;
    Context& context = module_->context();
    if (const abi::Result result =
            context.driver().function_set(function_, abi::function_max_dynamic_memory, static_cast<int>(bytes));
        result != abi::success)
        context.fail(result, "cuFuncSetAttribute",
                     "kernel \"" + name_ + "\" cannot have " + std::to_string(bytes) + " bytes of local memory");
    dynamic_limit_ = bytes;
}

void Kernel::launch(abi::Stream stream, const backend::LaunchRange& range,
                    std::span<const backend::Argument> arguments) {
    Context& context = module_->context();
    std::array<unsigned, 3> blocks{};
    static constexpr std::array<std::size_t, 3> most{2147483647, 65535, 65535}; // every device since capability 3.0
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t groups = range.global[d] / range.local[d];
        if (groups > most[d])
            throw Error(ErrorCode::unsupported, {},
                        "CUDA runs at most " + std::to_string(most[d]) + " groups in dimension " + std::to_string(d) +
                            ", the range has " + std::to_string(groups),
                        "Use larger groups, or put the long dimension first.");
        blocks[d] = static_cast<unsigned>(groups);
    }

    std::array<Packed, usual_arguments> few;
    std::array<void*, usual_arguments> few_places;
    std::vector<Packed> many;
    std::vector<void*> many_places;
    Packed* packed = few.data();
    void** places = few_places.data();
    if (arguments.size() > usual_arguments) {
        many.resize(arguments.size());
        many_places.resize(arguments.size());
        packed = many.data();
        places = many_places.data();
    }
    std::size_t dynamic = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const backend::Argument& argument = arguments[i];
        places[i] = &packed[i];
        switch (argument.kind) {
        case backend::Argument::Kind::buffer:
            packed[i].address = argument.memory ? static_cast<const Memory&>(*argument.memory).address() : 0;
            break;
        case backend::Argument::Kind::value:
            places[i] = const_cast<void*>(argument.value); // only read
            break;
        case backend::Argument::Kind::local:
            packed[i].local = static_cast<unsigned>(argument.size);
            dynamic += (argument.size + 15) / 16 * 16;
            break;
        }
    }
    if (dynamic > 0)
        allow_dynamic_memory(dynamic);
    const auto size = [&](std::size_t d) { return static_cast<unsigned>(range.local[d]); };
    const abi::Result result =
        context.driver().launch(function_, blocks[0], blocks[1], blocks[2], size(0), size(1), size(2),
                                static_cast<unsigned>(dynamic), stream, places, nullptr);
    if (result != abi::success) [[unlikely]]
        context.fail(result, "cuLaunchKernel",
                     is_sticky(result) ? std::string() : "kernel \"" + name_ + "\" is not launched");
}

} // namespace devq::cuda
