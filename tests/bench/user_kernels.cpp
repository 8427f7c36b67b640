// Kernels as users write them on cpu:0 against an OpenCL CPU driver, in pairs; and how long building one takes. Which
// compiler cpu:0 takes says DEVQ_CXX. `./dev bench kernels` runs this for each compiler and makes the table.
#include "pairs.hpp"
#include <CLI/CLI.hpp>
#include <cmath>
#include <devq/devq.hpp>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace {

using namespace devq;
using Json = nlohmann::ordered_json;

struct Options {
    std::string kernels, ours = "cpu:0", theirs = "opencl-cpu", build;
    int pairs = 15;
    bool cold = false;
};

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (!(text << file.rdbuf()))
        throw std::runtime_error("cannot read " + path);
    return text.str();
}

/// One device with the programs, and 4 Mi floats and keys to work on.
class Side {
public:
    static constexpr std::size_t count = std::size_t{1} << 22;

    Side(const std::string& selector, const std::string& kernels, const std::vector<float>& numbers,
         const std::vector<std::uint32_t>& keys)
        : device(open_device(selector)), queue(device.create_queue()),
          plain(device.build(text_of(kernels + "/plain.cl"))),
          barriers(device.build(text_of(kernels + "/barriers.cl"))), numbers_in(device.allocate(4 * count)),
          keys_in(device.allocate(4 * count)), out(device.allocate(4 * count)), spare(device.allocate(4 * count)),
          counts(device.allocate(4 * (count / 16))) {
        queue.write<float>(numbers_in, numbers);
        queue.write<std::uint32_t>(keys_in, keys);
    }

    const Device device;
    const Queue queue;
    const Program plain, barriers;
    const Buffer numbers_in, keys_in, out, spare, counts;
};

struct Work {
    std::string name;
    std::size_t results; ///< elements of out to compare
    bool integers;       ///< compared exactly
    int calls;
    std::function<void(const Side&)> run; ///< enqueues; the caller waits
};

/// Eight passes of four bits; the keys end in `out`.
void radix_sort(const Side& side, std::size_t n) {
    const std::size_t group = 256, groups = n / group;
    const Range range = Range(n).grouped(group);
    const Kernel count = side.barriers.kernel("radix_count"), scan = side.barriers.kernel("radix_scan"),
                 scatter = side.barriers.kernel("radix_scatter");
    const Buffer* from = &side.keys_in;
    for (std::uint32_t pass = 0; pass < 8; ++pass) {
        const Buffer* to = pass % 2 == 0 ? &side.spare : &side.out;
        side.queue.launch(count, range, *from, side.counts, pass * 4);
        side.queue.launch(scan, Range(group).grouped(group), side.counts, static_cast<std::uint32_t>(16 * groups));
        side.queue.launch(scatter, range, *to, *from, side.counts, pass * 4);
        from = to;
    }
}

std::vector<Work> all_work() {
    constexpr std::size_t n = Side::count;
    std::vector<Work> work;
    for (const char* name : {"saxpy", "polynomial", "sigmoid"})
        work.push_back({name, n, false, 10, [name](const Side& side) {
                            side.queue.launch(side.plain.kernel(name), Range(n).grouped(256), side.out, side.numbers_in,
                                              1.25f, static_cast<int>(n));
                        }});
    work.push_back({"stencil", n, false, 10, [](const Side& side) {
                        side.queue.launch(side.plain.kernel("stencil"), Range(2048, 2048).grouped(64, 4), side.out,
                                          side.numbers_in, 0.25f, 2048);
                    }});
    work.push_back({"tiled_matmul", 256 * 256, false, 5, [](const Side& side) {
                        side.queue.launch(side.barriers.kernel("tiled_matmul"), Range(256, 256).grouped(16, 16),
                                          side.out, side.numbers_in, side.numbers_in, 256);
                    }});
    work.push_back({"reduce", (std::size_t{1} << 20) / 256, false, 20, [](const Side& side) {
                        side.queue.launch(side.barriers.kernel("reduce"), Range(std::size_t{1} << 20).grouped(256),
                                          side.out, side.numbers_in);
                    }});
    work.push_back({"scan", std::size_t{1} << 20, true, 10, [](const Side& side) {
                        side.queue.launch(side.barriers.kernel("scan"), Range(std::size_t{1} << 20).grouped(256),
                                          side.out, side.keys_in);
                    }});
    work.push_back({"radix_sort", std::size_t{1} << 18, true, 3,
                    [](const Side& side) { radix_sort(side, std::size_t{1} << 18); }});
    return work;
}

/// Both sides compute the same: exactly for integers, else to a few roundings of numbers of about 1 (matmul: 256 of
/// them).
void require_equal(const Work& work, const Side& ours, const Side& theirs) {
    const auto results = [&](const Side& side) {
        side.queue.write<float>(side.out, std::vector<float>(Side::count, 0.0f));
        work.run(side);
        std::vector<std::uint32_t> bits(work.results);
        side.queue.read(std::span(bits), side.out);
        return bits;
    };
    const auto mine = results(ours), other = results(theirs);
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const float x = std::bit_cast<float>(mine[i]), y = std::bit_cast<float>(other[i]);
        const bool same = work.integers ? mine[i] == other[i] : std::fabs(x - y) <= 1e-4f * (1 + std::fabs(y));
        if (!same)
            throw std::runtime_error(fmt::format("{}: element {} differs", work.name, i));
    }
}

Json compare(const Options& options) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<float> numbers(Side::count);
    std::vector<std::uint32_t> keys(Side::count);
    for (float& x : numbers)
        x = unit(random);
    for (std::uint32_t& key : keys)
        key = random();
    const Side ours(options.ours, options.kernels, numbers, keys),
        theirs(options.theirs, options.kernels, numbers, keys);
    Json rows = Json::array();
    for (const Work& work : all_work()) {
        require_equal(work, ours, theirs);
        const auto call = [&](const Side& side) {
            return [&] {
                work.run(side);
                side.queue.wait();
            };
        };
        const bench::Pairs pairs = bench::measure_pairs(options.pairs, work.calls, call(ours), call(theirs));
        rows.push_back({{"kernel", work.name},
                        {"ms", bench::quantile(pairs.ours, 0.5)},
                        {"their_ms", bench::quantile(pairs.theirs, 0.5)},
                        {"ratio", bench::quantile(pairs.ratios, 0.5)},
                        {"ratio_quarter", bench::quantile(pairs.ratios, 0.25)},
                        {"ratio_three_quarters", bench::quantile(pairs.ratios, 0.75)}});
    }
    return {{"ours", ours.device.info().name}, {"theirs", theirs.device.info().name}, {"kernels", rows}};
}

/// Milliseconds from the source to the first result. A cold one is a source that nobody has seen.
Json build_time(const Options& options) {
    std::string source =
        "__kernel void f(__global float* y, const float a) { int i = get_global_id(0); y[i] = a * y[i] "
        "+ 1.0f; }\n";
    if (options.cold)
        source +=
            fmt::format("/* {} */\n__constant int unseen = {};\n", std::random_device{}(), std::random_device{}() >> 1);
    const Device device = open_device(options.build);
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(4096);
    queue.write<float>(buffer, std::vector<float>(1024, 1.0f));
    queue.wait();
    const auto start = std::chrono::steady_clock::now();
    const Program program = device.build(source);
    queue.launch(program.kernel("f"), Range(1024), buffer, 2.0f);
    queue.wait();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return {{"device", device.info().id}, {"ms", ms}};
}

} // namespace

int main(int argument_count, char** arguments) {
    CLI::App app("Users' kernels on cpu:0 against an OpenCL CPU device, in pairs; ratio = their time / ours");
    Options options;
    app.add_option("--kernels", options.kernels, "Folder of plain.cl and barriers.cl");
    app.add_option("--device", options.ours, "The one side");
    app.add_option("--against", options.theirs, "The other");
    app.add_option("--pairs", options.pairs, "Measurements of each side")->check(CLI::Range(1, 1000));
    app.add_option("--build", options.build, "Measure building a small kernel on this device instead");
    app.add_flag("--cold", options.cold, "With --build: of a source that no cache has");
    CLI11_PARSE(app, argument_count, arguments);
    try {
        fmt::print("{}\n", (options.build.empty() ? compare(options) : build_time(options)).dump(2));
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "user_kernels: {}\n", error.what());
        return 4;
    }
}
