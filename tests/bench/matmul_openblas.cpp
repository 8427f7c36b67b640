// matmul in f32 against OpenBLAS, what a user would take instead: pairs of measurements in one run, their order
// changing from pair to pair, and the ratio of each pair. OpenBLAS is opened at run time, so that this program builds
// without it.
#include "pairs.hpp"
#include <algorithm>
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <devq/devq.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

using devq::bench::quantile;
using Json = nlohmann::ordered_json;

class OpenBlas {
public:
    explicit OpenBlas(int threads) {
        // Read when the library is loaded: a core type that was set for other ends must not choose its kernels here.
        unsetenv("OPENBLAS_CORETYPE");
        // Its threads spin for a while after each call, which would take devq's cores from it: as short as it can be.
        setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1);
        library_ = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr)
            throw std::runtime_error(fmt::format("{}: install it (Debian: libopenblas0-pthread)", dlerror()));
        gemm_ = symbol<decltype(gemm_)>("cblas_sgemm");
        symbol<void (*)(int)>("openblas_set_num_threads")(threads);
        threads_ = symbol<int (*)()>("openblas_get_num_threads")();
        config_ = symbol<const char* (*)()>("openblas_get_config")();
        core_ = symbol<const char* (*)()>("openblas_get_corename")();
    }

    /// c = a · b, all n × n and row-major.
    void multiply(int n, const float* a, const float* b, float* c) const {
        constexpr int row_major = 101, not_transposed = 111; // CblasRowMajor, CblasNoTrans
        gemm_(row_major, not_transposed, not_transposed, n, n, n, 1.0f, a, n, b, n, 0.0f, c, n);
    }
    int threads() const { return threads_; }
    const std::string& config() const { return config_; }
    const std::string& core() const { return core_; }

private:
    template <class F>
    F symbol(const char* name) const {
        void* const address = dlsym(library_, name);
        if (address == nullptr)
            throw std::runtime_error(fmt::format("libopenblas.so.0 has no {}", name));
        return reinterpret_cast<F>(address);
    }

    void* library_ = nullptr;
    void (*gemm_)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
                  int) = nullptr;
    int threads_ = 0;
    std::string config_, core_;
};

struct Options {
    std::vector<std::string> devices;
    int size = 1024, pairs = 15, threads = 2, calls = 3;
    double at_least = 0;
    bool json = false;
};

/// Both sides sum at most n products of numbers in [-1, 1): each is within n · 2^-24 · n of the truth.
void require_equal(const std::vector<float>& x, const std::vector<float>& y, int n) {
    const double limit = 2.0 * n * n * 0x1p-24;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::fabs(static_cast<double>(x[i]) - y[i]) <= limit))
            throw std::runtime_error(fmt::format("element {} differs: devq {}, OpenBLAS {}", i, x[i], y[i]));
}

Json compare(const std::string& selector, const Options& options, const OpenBlas& blas) {
    const int n = options.size;
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<float> a(count), b(count), peer(count), mine(count);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::generate(a.begin(), a.end(), [&] { return unit(random); });
    std::generate(b.begin(), b.end(), [&] { return unit(random); });

    const devq::Device device = devq::open_device(selector);
    const devq::Queue queue = device.create_queue();
    const devq::Tensor left(device, devq::DType::f32, {n, n}), right(device, devq::DType::f32, {n, n});
    const devq::Tensor out(device, devq::DType::f32, {n, n});
    queue.write<float>(left.buffer(), a);
    queue.write<float>(right.buffer(), b);
    devq::ops::Placement placement;
    const auto ours = [&] {
        placement = devq::ops::matmul(queue, out, left, right);
        queue.wait();
    };
    const auto theirs = [&] { blas.multiply(n, a.data(), b.data(), peer.data()); };

    const auto [our_ms, their_ms, ratios] = devq::bench::measure_pairs(options.pairs, options.calls, ours, theirs);
    queue.read<float>(mine, out.buffer());
    require_equal(mine, peer, n);

    const double flops = 2.0 * n * n * n;
    return {{"device", device.info().id},
            {"name", device.info().name},
            {"path", std::string(placement.path)},
            {"variant", std::string(placement.variant)},
            {"ms_median", quantile(our_ms, 0.5)},
            {"openblas_ms_median", quantile(their_ms, 0.5)},
            {"gflops", flops / quantile(our_ms, 0.5) / 1e6},
            {"openblas_gflops", flops / quantile(their_ms, 0.5) / 1e6},
            {"ratio_median", quantile(ratios, 0.5)},
            {"ratio_min", quantile(ratios, 0)},
            {"ratio_quarter", quantile(ratios, 0.25)},
            {"ratio_three_quarters", quantile(ratios, 0.75)},
            {"ratio_max", quantile(ratios, 1)}};
}

std::vector<std::string> devices_present() {
    std::vector<std::string> ids;
    for (const devq::DeviceInfo& device : devq::list_devices().devices)
        ids.push_back(device.id);
    return ids;
}

int run(const Options& options) {
    const OpenBlas blas(options.threads);
    if (!options.json)
        fmt::print(
            "matmul f32 {0}x{0}x{0}, {1} pairs of {2} calls each\nOpenBLAS: {3} threads, kernels for {4} ({5})\n\n"
            "{6:<10} {7:<10} {8:>9} {9:>9} {10:>9} {11:>9} {12:>7}  {13}\n",
            options.size, options.pairs, options.calls, blas.threads(), blas.core(), blas.config(), "device", "path",
            "devq ms", "GFLOP/s", "OpenBLAS", "GFLOP/s", "ratio", "quartiles");
    Json document = {{"bench", "matmul_openblas"},
                     {"size", options.size},
                     {"pairs", options.pairs},
                     {"openblas", {{"threads", blas.threads()}, {"core", blas.core()}, {"config", blas.config()}}},
                     {"results", Json::array()}};
    bool fast_enough = true;
    for (const std::string& selector : options.devices.empty() ? devices_present() : options.devices) {
        const Json row = compare(selector, options, blas);
        const double ratio = row["ratio_median"];
        fast_enough = fast_enough && ratio >= options.at_least;
        if (!options.json)
            fmt::print("{:<10} {:<10} {:>9.2f} {:>9.1f} {:>9.2f} {:>9.1f} {:>7.2f}  {:.2f} ... {:.2f}\n",
                       std::string(row["device"]), std::string(row["path"]), double(row["ms_median"]),
                       double(row["gflops"]), double(row["openblas_ms_median"]), double(row["openblas_gflops"]), ratio,
                       double(row["ratio_quarter"]), double(row["ratio_three_quarters"]));
        document["results"].push_back(row);
    }
    if (options.json)
        fmt::print("{}\n", document.dump(2));
    if (!fast_enough)
        fmt::print(stderr, "matmul_openblas: a median ratio is below {}\n", options.at_least);
    return fast_enough ? 0 : 1;
}

} // namespace

int main(int argument_count, char** arguments) {
    CLI::App app("matmul in f32 on devq's devices against OpenBLAS, in pairs; ratio = OpenBLAS's time / devq's");
    Options options;
    app.add_option("--device", options.devices, "Selector; may be given several times (default: every device)");
    app.add_option("--size", options.size, "Rows and columns of the square matrices")->check(CLI::Range(1, 16384));
    app.add_option("--pairs", options.pairs, "Measurements of each side")->check(CLI::Range(1, 1000));
    app.add_option("--calls", options.calls, "Calls a measurement, after one that does not count")
        ->check(CLI::Range(1, 1000));
    app.add_option("--threads", options.threads, "Threads of OpenBLAS")->check(CLI::Range(1, 1024));
    app.add_option("--at-least", options.at_least, "Exit status 1 when a device's median ratio is below this");
    app.add_flag("--json", options.json, "Print one JSON document");
    CLI11_PARSE(app, argument_count, arguments);
    try {
        return run(options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "matmul_openblas: {}\n", error.what());
        return 4;
    }
}
