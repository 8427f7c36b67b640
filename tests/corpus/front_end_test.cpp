// The front end alone on every kernel of the corpus: no device, no compiler. What sanitizers look at.
#include "corpus.hpp"
#include "frontend/frontend.hpp"
#include <algorithm>
#include <doctest/doctest.h>

using namespace devq;

TEST_CASE("corpus: the front end alone reads every kernel and writes it for every target") {
    for (const std::filesystem::path& path : corpus::files_in(".")) {
        const std::string name = path.filename();
        CAPTURE(name);
        try {
            const corpus::File file = corpus::read(path);
            frontend::Options options;
            options.file_name = name;
            options.defines = file.options.defines;
            options.include_folders = {path.parent_path()};
            const auto module = frontend::parse(corpus::text_of(path), options);
            for (const corpus::Run& run : file.runs) {
                const auto& kernels = frontend::signatures(*module);
                CHECK(std::any_of(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == run.kernel; }));
            }
            // The text with everything included is a program of the same kernels.
            frontend::Options alone;
            alone.file_name = name;
            const auto again = frontend::parse(frontend::preprocessed(*module), alone);
            CHECK(frontend::signatures(*again).size() == frontend::signatures(*module).size());
            for (const frontend::Target target : {frontend::Target::host, frontend::Target::cuda})
                CHECK_FALSE(frontend::write(*module, {.target = target}).empty());
        } catch (const Error& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    }
}
