// examples/digits' network on the simulator, in each type, by devq's own kernels and by the vendor's libraries: each
// step's loss is that of cpu:0.
#include "../../../examples/digits/dataset.hpp"
#include "../devices/support.hpp"
#include "network.hpp"
#include "support.hpp"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>
#include <sstream>

using namespace devq;
using namespace devq::cuda_test;

namespace {

constexpr std::int64_t rows = 256, batch = 32;
constexpr int epochs = 2;

/// The mean loss of each step, over the first rows in the file's order.
std::vector<double> losses(const char* id, DType storage, const digits::Dataset& data) {
    const Device device = open_device(id);
    const Queue queue = device.create_queue();
    digits::Network network(queue, storage, {digits::pixels_per_image, 256, 256, digits::classes}, batch);
    network.initialise(1);
    std::vector<float> pixels(data.pixels.begin(), data.pixels.begin() + rows * digits::pixels_per_image);
    for (float& pixel : pixels)
        pixel /= 16;
    const Tensor raw(device, DType::f32, {rows, digits::pixels_per_image}), images(device, storage, raw.sizes()),
        labels(device, DType::i32, {rows}), loss(device, DType::f32, {batch});
    queue.write(raw.buffer(), std::span<const float>(pixels));
    queue.write(labels.buffer(), std::span(data.labels).first(rows));
    if (storage == DType::f32)
        ops::unary(queue, ops::Unary::copy, images, raw);
    else
        ops::cast(queue, images, raw);
    std::vector<double> means;
    for (int epoch = 0; epoch < epochs; ++epoch)
        for (std::int64_t first = 0; first < rows; first += batch) {
            network.train(images.view().sliced(0, first, batch), labels.view().sliced(0, first, batch), loss, 0.1f,
                          0.9f);
            std::vector<float> values(batch);
            queue.read(std::span(values), loss.buffer());
            means.push_back(std::accumulate(values.begin(), values.end(), 0.0) / batch);
        }
    return means;
}

/// Products by cuBLASLt so far.
unsigned long products() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto calls = reinterpret_cast<unsigned long (*)(const char*)>(dlsym(driver, "virtual_cuda_calls"));
    return calls("cublasLtMatmul");
}

void compare(DType storage, double bound) {
    const digits::Dataset data =
        digits::load_dataset(support::build_folder() / "examples" / "digits" / "digits.csv.gz");
    const std::vector<double> wanted = losses("cpu:0", storage, data), got = losses("cuda:0", storage, data);
    const bool by_library = std::getenv("DEVQ_PATH") == nullptr;
    CHECK((products() > 0) == by_library);
    REQUIRE(wanted.size() == epochs * rows / batch);
    REQUIRE(got.size() == wanted.size());
    double farthest = 0;
    for (std::size_t step = 0; step < wanted.size(); ++step) {
        CAPTURE(step);
        CHECK(std::isfinite(got[step]));
        CHECK(std::fabs(got[step] - wanted[step]) <= bound);
        farthest = std::fmax(farthest, std::fabs(got[step] - wanted[step]));
    }
    CHECK(wanted.back() < wanted.front() - 0.1); // it learns
    const std::string type(to_string(storage));
    std::printf("digits %s: losses from %.4f to %.4f, at most %.1e from those of cpu:0\n", type.c_str(), got.front(),
                got.back(), farthest);
}

/// `path`: DEVQ_PATH, which a process reads once. Where it is not set, the libraries come first; cpu:0 has none.
void check(const char* type, const std::string& path) {
    const support::Result child =
        support::run({"/proc/self/exe", "--no-skip", std::string("--test-case=child: digits ") + type},
                     {{"DEVQ_PATH", path}, {"DEVQ_MEMORY_POISON", "1"}});
    CHECK_MESSAGE(child.status == 0, child.out << child.err);
    CHECK_MESSAGE(holds(child.out, " 1 passed | 0 failed"), child.out);
    std::istringstream lines(child.out);
    for (std::string line; std::getline(lines, line);)
        if (holds(line, "losses"))
            std::printf("%s (%s)\n", line.c_str(), path == support::unset ? "vendor" : path.c_str());
}

} // namespace

TEST_CASE("child: digits f32" * doctest::skip()) { compare(DType::f32, 1e-3); }
TEST_CASE("child: digits f16" * doctest::skip()) { compare(DType::f16, 2e-2); }
TEST_CASE("child: digits bf16" * doctest::skip()) { compare(DType::bf16, 2e-2); }

TEST_CASE("the example's network learns on the simulator as on cpu:0, step by step") {
    if (!have_compiler())
        return;
    for (const std::string path : {"portable", support::unset})
        for (const char* type : {"f32", "f16", "bf16"}) {
            CAPTURE(path);
            CAPTURE(type);
            check(type, path);
        }
}
