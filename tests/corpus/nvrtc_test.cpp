// Every kernel of the corpus compiled for three generations of NVIDIA's GPUs, which needs no device.
#include "backends/cuda/compiler.hpp"
#include "corpus.hpp"
#include "frontend/frontend.hpp"
#include <algorithm>
#include <doctest/doctest.h>

using namespace devq;

TEST_CASE("corpus: NVRTC compiles every kernel for sm_75, sm_80 and sm_90") {
    cuda::Nvrtc compiler;
    constexpr int newest_driver = 13090; // no driver is asked: any compiler will do
    if (const auto missing = cuda::load(compiler, newest_driver)) {
        MESSAGE("skipped: nvrtc: " << missing->reason);
        return;
    }
    for (const std::filesystem::path& path : corpus::files_in(".")) {
        const std::string name = path.filename();
        CAPTURE(name);
        const corpus::File file = corpus::read(path);
        if (!file.only.empty() && std::count(file.only.begin(), file.only.end(), "cuda") == 0)
            continue;
        frontend::Options options;
        options.file_name = path;
        options.defines = file.options.defines;
        options.include_folders = {path.parent_path()};
        for (const int architecture : {75, 80, 90}) {
            CAPTURE(architecture);
            try {
                const auto module = frontend::parse(corpus::text_of(path), options);
                const backend::ProgramSource source{
                    frontend::write(*module, {.target = frontend::Target::cuda}), name, {}, {}};
                const cuda::Compiled compiled = cuda::compile(compiler, cuda::Target{architecture, true}, source);
                CHECK_FALSE(compiled.image.empty());
                CHECK(compiled.log == "");
            } catch (const Error& error) {
                FAIL_CHECK(std::string(error.what()));
            }
        }
    }
}
