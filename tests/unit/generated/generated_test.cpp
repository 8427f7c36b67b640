// Random kernels with barriers compute the same wherever they run: on the cpu device split at their barriers, by two
// compilers, and on fibers; on the stand-in for a CUDA device; with DEVQ_TEST_OPENCL=1 by an OpenCL driver for the CPU.
// DEVQ_TEST_SEED repeats a run, DEVQ_TEST_KERNELS sets how many kernels there are, DEVQ_TEST_FIRST the first of them,
// DEVQ_TEST_SIDES which sides are asked besides the first.
#include "../devices/support.hpp"
#include "kernels.hpp"
#include "sides.hpp"
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <future>
#include <random>

using namespace devq::generated;

namespace {

// Compiled kernels are not instrumented: under a sanitizer one program tells as much as many.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr std::uint32_t usual_count = kernels_a_program;
#define DEVQ_FEW_KERNELS
#endif
#endif
#if !defined(DEVQ_FEW_KERNELS)
constexpr std::uint32_t usual_count = 200;
#endif

std::uint32_t number_of(const char* variable, std::uint32_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

bool lists(const std::string& selector, const std::map<std::string, std::string>& environment, std::string& said) {
    const auto listed = support::run({support::build_folder() / "devq", "list", selector}, environment);
    said = listed.out;
    return listed.status == 0;
}

std::vector<Side> sides() {
    std::vector<Side> result{{"g++", "cpu:0", {}, true}};
    if (std::system("clang++-14 --version >/dev/null 2>&1") == 0)
        result.push_back({"clang++", "cpu:0", {{"DEVQ_CXX", "clang++-14"}}, true});
    else
        MESSAGE("skipped: second-compiler: clang++-14 is not installed");
    const std::filesystem::path standin = support::build_folder() / "tests" / "virtual_cuda";
    if (std::filesystem::exists(standin / "libcuda.so.1")) {
        const char* const path = std::getenv("LD_LIBRARY_PATH");
        const std::map<std::string, std::string> environment{
            {"LD_LIBRARY_PATH", standin.string() + (path != nullptr ? ":" + std::string(path) : "")},
            {"CUDA_VISIBLE_DEVICES", support::unset}};
        std::string said;
        if (lists("cuda", environment, said))
            result.push_back({"CUDA", "cuda:0", environment, false});
        else
            MESSAGE("skipped: nvrtc: the stand-in shows no device: " << said);
    }
    // PoCL 3.1 ends the process on some of these ("Could not find a dominating alternative variable") and computes
    // others wrong, so that it is asked on demand only.
    if (std::getenv("DEVQ_TEST_OPENCL") != nullptr)
        result.push_back({"OpenCL", "opencl-cpu", {}, false});
    return result;
}

} // namespace

TEST_CASE("generated kernels: the same results on every side") {
    const std::uint32_t seed = number_of("DEVQ_TEST_SEED", std::random_device{}());
    const std::uint32_t first = number_of("DEVQ_TEST_FIRST", 0) / kernels_a_program * kernels_a_program;
    const std::uint32_t end = first + number_of("DEVQ_TEST_KERNELS", usual_count);
    CAPTURE(seed);
    std::vector<Side> all = sides();
    if (const char* chosen = std::getenv("DEVQ_TEST_SIDES")) // words; the first side is always there
        all.erase(
            std::remove_if(all.begin() + 1, all.end(),
                           [&](const Side& side) { return std::string(chosen).find(side.name) == std::string::npos; }),
            all.end());
    std::uint32_t ran = 0;
    for (std::uint32_t k = first; k < end; k += kernels_a_program) {
        const Batch batch{seed, k, std::min(kernels_a_program, end - k)};
        std::vector<std::future<Results>> running;
        for (const Side& side : all)
            running.push_back(std::async(std::launch::async, [&side, batch] { return results_of(side, batch); }));
        std::vector<Results> results;
        for (std::future<Results>& one : running)
            results.push_back(one.get());
        for (std::uint32_t number = k; number < k + batch.count; ++number) {
            const KernelText text = kernel(seed + number, "k" + std::to_string(number));
            CAPTURE(number);
            for (std::size_t shape = 0; shape < text.shapes.size(); ++shape) {
                const std::string key = text.name + " " + std::to_string(shape);
                CAPTURE(key);
                REQUIRE_MESSAGE(results[0].contains(key), results[0][text.name]);
                for (std::size_t side = 0; side < all.size(); ++side) {
                    CAPTURE(all[side].name);
                    const Results& found = results[side];
                    CHECK_MESSAGE(found.contains(key), "no result: " << results[side][text.name]);
                    for (const std::string& form : {key, key + " fibers"})
                        if (found.contains(form))
                            CHECK_MESSAGE(found.at(form) == results[0][key], form);
                }
            }
            ++ran;
        }
        for (std::size_t side = 0; side < all.size(); ++side) {
            CAPTURE(all[side].name);
            if (all[side].splits)
                CHECK_MESSAGE(!results[side].contains("fibers"), results[side]["fibers"]);
        }
    }
    MESSAGE(ran << " kernels on " << all.size() << " sides, seed " << seed);
}

TEST_CASE("child: generated kernels on one side" * doctest::skip()) { run_side(); }

TEST_CASE("child: the text of generated kernels" * doctest::skip()) {
    const std::uint32_t first = number_of("DEVQ_TEST_FIRST", 0);
    MESSAGE(program_text({number_of("DEVQ_TEST_SEED", 0), first, number_of("DEVQ_TEST_KERNELS", 1)}));
}
