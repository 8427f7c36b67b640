// How a process ends while the cpu device is at work: each case runs once more, as a process of its own that ends so.
#include <cstdlib>
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>

using namespace devq;

namespace {

constexpr auto child_mark = "DEVQ_TEST_CHILD";

/// In the parent: runs this case in a child, checks that it ended well, and is true. In the child: false.
bool respawned(const std::string& name) {
    if (std::getenv(child_mark) != nullptr)
        return false;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = std::string(child_mark) + "=1 timeout 60 '" + self + "' -tc='" + name + "' >/dev/null";
    for (int round = 0; round < 5; ++round) {
        const int status = std::system(command.c_str());
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    return true;
}

struct Work {
    Device device = open_device("cpu:0");
    Queue queue = device.create_queue(), other = device.create_queue();
    Tensor numbers{device, DType::f32, {1 << 16}};

    /// More than is done when the process ends.
    void start() {
        for (int i = 0; i < 200; ++i) {
            ops::fill(queue, numbers, i);
            other.wait_for(queue.record());
            ops::fill(other, numbers, i);
            queue.wait_for(other.record());
        }
    }
};

std::unique_ptr<Work> global;

} // namespace

TEST_CASE("the process ends with queues at work in globals") {
    if (respawned("the process ends with queues at work in globals"))
        return;
    global = std::make_unique<Work>();
    global->start();
}

TEST_CASE("the process ends with queues at work that nobody ever closes") {
    if (respawned("the process ends with queues at work that nobody ever closes"))
        return;
    static Work* const kept = new Work; // reachable, so that no checker takes it for a leak
    kept->start();
}

TEST_CASE("exit() in one thread while others submit and wait") {
    if (respawned("exit() in one thread while others submit and wait"))
        return;
    auto* work = new Work; // the other threads go on with it to the very end
    for (int t = 0; t < 2; ++t)
        std::thread([work] {
            const Queue queue = work->device.create_queue();
            for (;;) {
                ops::fill(queue, work->numbers, 1.0);
                queue.wait();
            }
        }).detach();
    work->start();
    std::exit(0);
}

TEST_CASE("a program may open the device again and again") {
    for (int i = 0; i < 50; ++i) {
        Work work;
        ops::fill(work.queue, work.numbers, i);
        std::vector<float> back(1 << 16);
        work.queue.read(std::span(back), work.numbers.buffer());
        CHECK(back.back() == static_cast<float>(i));
    }
}
