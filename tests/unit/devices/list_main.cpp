// The tests that run devq as a process. With --probe this program is that process: it opens devices and says what came
// of it, from a folder where the tests have put modules of their own beside the library.
#define DOCTEST_CONFIG_IMPLEMENT
#include "probe.hpp"
#include <cstring>
#include <doctest/doctest.h>

int main(int argument_count, char** arguments) {
    if (argument_count > 2 && std::strcmp(arguments[1], "--probe") == 0)
        return probe(arguments[2], argument_count > 3 ? arguments[3] : "");
    return doctest::Context(argument_count, arguments).run();
}
