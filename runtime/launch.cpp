#include "launch_check.hpp"
#include "queue_state.hpp"
#include "recording.hpp"
#include <algorithm>

namespace devq {

using namespace detail;

namespace {

/// A launch with its values copied.
class ParkedLaunch final : public ParkedCommand {
public:
    ParkedLaunch(const char* operation, std::shared_ptr<backend::Kernel> kernel, const backend::LaunchRange& range,
                 std::span<const backend::Argument> arguments)
        : ParkedCommand(operation), kernel_(std::move(kernel)), range_(range),
          arguments_(arguments.begin(), arguments.end()) {
        std::size_t bytes = 0;
        for (const backend::Argument& argument : arguments_)
            bytes += argument.value ? padded(argument.size) : 0;
        values_.resize(bytes);
        std::size_t at = 0;
        for (backend::Argument& argument : arguments_) {
            if (!argument.value)
                continue;
            std::copy_n(static_cast<const std::byte*>(argument.value), argument.size, values_.data() + at);
            argument.value = values_.data() + at;
            at += padded(argument.size);
        }
    }

    Step run(QueueState& queue) override {
        queue.native->launch(kernel_, range_, arguments_);
        return Step::done;
    }
    bool can_be_captured() const noexcept override { return true; }

private:
    /// Keeps every value at an address that suits its type.
    static std::size_t padded(std::size_t size) { return (size + 15) / 16 * 16; }

    std::shared_ptr<backend::Kernel> kernel_;
    backend::LaunchRange range_;
    std::vector<backend::Argument> arguments_;
    std::vector<std::byte> values_;
};

void launch(QueueState& queue, const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
            std::span<const backend::Argument> arguments, const char* operation) {
    if (std::find(range.global.begin(), range.global.end(), std::size_t{0}) != range.global.end())
        return;
    FormerUsers former;
    call_backend(*queue.device, operation, [&] {
        for (const backend::Argument& argument : arguments)
            former.look(queue, argument.memory.get());
    });
    const std::lock_guard lock(queue.mutex);
    if (queue.failure)
        return;
    call_backend(*queue.device, operation, [&] {
        if (queue.recording) {
            for (const backend::Argument& argument : arguments)
                queue.recording->keep(argument.memory);
            return queue.recording->add(std::make_unique<ParkedLaunch>(operation, kernel, range, arguments));
        }
        queue.use(arguments, former);
        if (queue.is_parked())
            queue.park(std::make_unique<ParkedLaunch>(operation, kernel, range, arguments));
        else
            queue.native->launch(kernel, range, arguments);
    });
}

} // namespace

void detail::submit_launch(const Queue& queue, const std::shared_ptr<backend::Kernel>& kernel,
                           const backend::LaunchRange& range, std::span<const backend::Argument> arguments,
                           const char* operation) {
    queue.state()->device->check_usable(operation);
    launch(*queue.state(), kernel, range, arguments, operation);
}

void Queue::launch_list(const Kernel& kernel, const Range& range, std::initializer_list<KernelArg> args) const {
    launch_span(kernel, range, {args.begin(), args.size()});
}

void Queue::launch_span(const Kernel& kernel, const Range& range, std::span<const KernelArg> args) const {
    constexpr auto operation = "Queue::launch";
    if (!state_)
        throw Error(ErrorCode::invalid_argument, operation, "this Queue is an empty handle",
                    "Take one from Device::create_queue.");
    if (!kernel)
        throw Error(ErrorCode::invalid_argument, operation, "the Kernel is an empty handle",
                    "Take one from Program::kernel.");
    QueueState& queue = *state_;
    queue.device->check_usable(operation);
    const KernelState& state = *kernel.state();
    if (state.program->device != queue.device)
        throw Error(ErrorCode::invalid_argument, operation,
                    "kernel \"" + state.signature.name + "\" is built for " + state.program->device->info.id +
                        ", this queue is on " + queue.device->info.id,
                    "Build the program on the queue's device.");
    const Capabilities& limits = queue.device->device->capabilities();
    ArgumentList arguments(args.size());
    check_arguments(state, limits, args, arguments.span());
    const backend::LaunchRange checked = check_range(state, limits, range);
    devq::launch(queue, state.kernel, checked, arguments.span(), operation);
}

} // namespace devq
