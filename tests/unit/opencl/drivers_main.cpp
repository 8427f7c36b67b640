// The tests that run devq as a process among drivers of their own. With --open this program is such a process: it opens
// the devices that the selectors name and prints their ids.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <string_view>

int main(int argument_count, char** arguments) {
    if (argument_count < 2 || std::string_view(arguments[1]) != "--open")
        return doctest::Context(argument_count, arguments).run();
    for (int i = 2; i < argument_count; ++i) {
        try {
            std::puts(devq::open_device(arguments[i]).info().id.c_str());
        } catch (const devq::Error& error) {
            std::puts(error.what());
        }
    }
    return 0;
}
