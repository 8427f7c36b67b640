#pragma once
/// Every device of this machine, with a program of a few kernels, for tests through the public interface alone.

#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace each_device {

using namespace devq;

struct Opened {
    Device device;
    Program program;
    std::string id() const { return device.info().id; }
};

/// All that DEVQ_DEVICE, or nothing, selects; opened once and kept until the process ends.
const std::vector<Opened>& all();
const char* source(); ///< of Opened::program

/// The code, after checking that the message begins with the operation and that there is advice.
ErrorCode code_of(const std::function<void()>& call);
std::string message_of(const std::function<void()>& call);
/// Runs a kernel and reads its result: what must work after every refusal.
void check_usable(const Opened& opened, const Queue& queue);

template <class T>
std::vector<T> read_all(const Queue& queue, const Buffer& buffer) {
    std::vector<T> values(buffer.size() / sizeof(T));
    queue.read(std::span(values), buffer);
    return values;
}

} // namespace each_device

/// The body runs for every device as `on`, with a queue of it as `queue`.
#define ON_EACH_DEVICE                                                                                                 \
    for (const each_device::Opened& on : each_device::all())                                                           \
        if (const devq::Queue queue = on.device.create_queue(); true)                                                  \
            if (INFO("on " << on.id()); true)
