#include "probe.hpp"
#include <cstdio>
#include <cstring>
#include <devq/device.hpp>
#include <devq/error.hpp>
#include <devq/queue.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// "LABEL good TEXT" or "LABEL CODE WHAT".
template <class Call>
void report(const char* label, Call&& call) {
    try {
        std::printf("%s good %s\n", label, call().c_str());
    } catch (const devq::Error& error) {
        std::printf("%s %s %s\n", label, std::string(to_string(error.code())).c_str(), error.what());
    }
    std::fflush(stdout);
}

template <class Call>
void in_child(Call&& call) {
    const pid_t child = fork();
    if (child == 0) {
        call();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0)
        std::printf("child ended with %d\n", status);
}

std::string opened(const char* selector) { return devq::open_device(selector).info().id; }

} // namespace

int probe(const char* what, const char* selector) {
    if (std::strcmp(what, "open") == 0) {
        report("open", [&] { return opened(selector); });
    } else if (std::strcmp(what, "twice") == 0) {
        report("open", [&] {
            const devq::Device one = devq::open_device(selector), other = devq::open_device(selector);
            return one.info().id + (one == other ? " same" : " different");
        });
        report("again", [&] { return opened(selector); });
    } else if (std::strcmp(what, "fork") == 0) { // a child of a process that has the device open
        const devq::Device device = devq::open_device(selector);
        in_child([&] {
            report("info", [&] { return device.info().id; });
            report("capabilities", [&] { return std::to_string(device.capabilities().vector_width); });
            report("allocate", [&] { return std::to_string(device.allocate(16).size()); });
            report("queue", [&] { return device.create_queue(), std::string("made"); });
            report("open", [&] { return opened(selector); });
            report("list", [&] { return std::to_string(devq::list_devices(selector).devices.size()); });
            report("other", [&] { return opened("opencl:0"); });
        });
        report("parent", [&] { return opened(selector); });
    } else if (std::strcmp(what, "fork-first") == 0) { // nothing was used before the fork
        in_child([&] { report("child", [&] { return opened(selector); }); });
        report("parent", [&] { return opened(selector); });
    } else if (std::strcmp(what, "fork-listed") == 0) { // the parent has only looked what there is
        report("list", [&] { return std::to_string(devq::list_devices(selector).devices.size()); });
        in_child([&] { report("child", [&] { return opened(selector); }); });
    } else {
        return 2;
    }
    return 0;
}
