// How many instructions of threads the PTX interpreter of tests/virtual_cuda runs in a second, on all cores: devq's own
// kernels, as NVRTC compiles them. Starts itself again with the stand-in driver first on the loader's path.
#include "pairs.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <devq/devq.hpp>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <string>
#include <unistd.h>

using namespace devq;

namespace {

constexpr const char* again = "DEVQ_TEST_VIRTUAL";

void start_again(char** words) {
    const auto drivers = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tests" / "virtual_cuda";
    setenv("LD_LIBRARY_PATH", drivers.c_str(), 1);
    setenv("VIRTUAL_CUDA_DEVICES", "8.1", 1);
    setenv("DEVQ_PATH", "portable", 1);
    setenv(again, "1", 1);
    execv("/proc/self/exe", words);
    std::perror("execv");
    std::exit(1);
}

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

int main(int, char** words) {
    if (std::getenv(again) == nullptr)
        start_again(words);
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto instructions =
        reinterpret_cast<unsigned long (*)()>(driver != nullptr ? dlsym(driver, "virtual_cuda_instructions") : nullptr);
    if (instructions == nullptr) {
        std::fputs("the stand-in for CUDA's driver is not loaded: build tests/virtual_cuda\n", stderr);
        return 1;
    }
    try {
        const Device device = open_device("cuda:0");
        const Queue queue = device.create_queue();
        const auto tensor = [&](const Dims& sizes) {
            Tensor made(device, DType::f32, sizes);
            ops::fill(queue, made, 0.5);
            return made;
        };
        const Tensor a = tensor({256, 256}), b = tensor({256, 256}), c = tensor({256, 256}), row = tensor({256});
        const Tensor image = tensor({1, 16, 32, 32}), filter = tensor({32, 16, 3, 3}), result = tensor({1, 32, 30, 30});
        const struct {
            const char* name;
            std::function<void()> run;
        } works[] = {
            {"matmul 256×256×256", [&] { ops::matmul(queue, c, a, b); }},
            {"conv2d 16→32 channels, 3×3 on 32×32", [&] { ops::conv2d(queue, result, image, filter); }},
            {"softmax 256×256", [&] { ops::softmax(queue, c, a); }},
            {"row sums 256×256", [&] { ops::reduce(queue, ops::Reduction::sum, row, a, 1); }},
            {"multiply 256×256", [&] { ops::binary(queue, ops::Binary::multiply, c, a, b); }},
        };
        double all_count = 0, all_seconds = 0;
        for (const auto& work : works) {
            const auto once = [&] {
                work.run();
                queue.wait();
            };
            once(); // compiles
            const unsigned long before = instructions();
            once();
            const auto count = static_cast<double>(instructions() - before);
            std::vector<double> times;
            for (int round = 0; round < 15; ++round)
                times.push_back(seconds_of(once));
            const double seconds = bench::quantile(times, 0.5);
            std::printf("%-40s %8.2f million instructions, %6.0f million a second\n", work.name, count / 1e6,
                        count / seconds / 1e6);
            all_count += count;
            all_seconds += seconds;
        }
        std::printf("%-40s %8.2f million instructions, %6.0f million a second\n", "all of these", all_count / 1e6,
                    all_count / all_seconds / 1e6);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
