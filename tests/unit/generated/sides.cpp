#include "sides.hpp"
#include "../devices/support.hpp"
#include "kernels.hpp"
#include <chrono>
#include <cstdlib>
#include <devq/devq.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace devq::generated {

namespace {

constexpr const char* batch_variable = "DEVQ_TEST_BATCH"; ///< "DEVICE SPLITS SEED FIRST COUNT"
constexpr const char* mark = "generated: ";               ///< before each line for the process that asked
constexpr std::chrono::seconds limit{300};

std::string name_of(std::uint32_t k) { return "k" + std::to_string(k); }

std::uint64_t hash_of(const std::vector<std::uint64_t>& values) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint64_t value : values)
        hash = (hash ^ value) * 0x100000001b3u ^ hash >> 31;
    return hash;
}

std::uint64_t launched(const Device& device, const devq::Kernel& kernel, const KernelText& text, const Shape& shape,
                       std::uint32_t n) {
    std::vector<std::uint32_t> in(items);
    std::vector<std::uint64_t> out(items);
    for (std::size_t i = 0; i < items; ++i)
        in[i] = static_cast<std::uint32_t>(i * 2654435761u + n);
    const Queue queue = device.create_queue();
    const Buffer din = device.allocate(4 * items), dout = device.allocate(8 * items);
    queue.write(din, std::span<const std::uint32_t>(in));
    Range range = text.dimensions == 1 ? Range(shape.global[0]) : Range(shape.global[0], shape.global[1]);
    range = text.dimensions == 1 ? range.grouped(shape.local[0]) : range.grouped(shape.local[0], shape.local[1]);
    queue.launch(kernel, range, dout, din, n);
    queue.read(std::span(out), dout);
    return hash_of(out);
}

/// The lines that the process printed; false where it did not come to its end.
bool asked(const Side& side, const Batch& batch, Results& results, std::string& why) {
    std::map<std::string, std::string> environment = side.environment;
    std::ostringstream words;
    words << side.device << ' ' << side.splits << ' ' << batch.seed << ' ' << batch.first << ' ' << batch.count;
    environment[batch_variable] = words.str();
    environment["DEVQ_CACHE"] = "0";
    const auto done = support::run(
        {std::filesystem::read_symlink("/proc/self/exe"), "--no-skip", "-tc=child: generated kernels on one side"},
        environment, limit);
    std::istringstream lines(done.out);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(mark)) {
            const std::size_t equals = line.find(" = ");
            results[line.substr(std::string(mark).size(), equals - std::string(mark).size())] = line.substr(equals + 3);
        }
    why = "exit status " + std::to_string(done.status) + ": " +
          (done.err.empty() ? done.out.substr(0, 2000) : done.err.substr(0, 2000));
    return done.status == 0;
}

} // namespace

std::string program_text(const Batch& batch) {
    const std::uint32_t program = batch.first / kernels_a_program;
    std::string text = functions(batch.seed ^ program * 2654435761u);
    for (std::uint32_t k = batch.first; k < batch.first + batch.count; ++k)
        text += kernel(batch.seed + k, name_of(k)).text;
    return text;
}

Results results_of(const Side& side, const Batch& batch) {
    Results results;
    std::string why;
    if (asked(side, batch, results, why))
        return results;
    if (batch.count == 1) {
        results[name_of(batch.first)] = why;
        return results;
    }
    results.clear();
    for (std::uint32_t k = batch.first; k < batch.first + batch.count; ++k)
        results.merge(results_of(side, {batch.seed, k, 1}));
    return results;
}

void run_side() {
    const char* text = std::getenv(batch_variable);
    std::istringstream words(text != nullptr ? text : "");
    std::string selector;
    bool splits = false;
    Batch batch;
    words >> selector >> splits >> batch.seed >> batch.first >> batch.count;
    if (!words)
        return;
    const Device device = open_device(selector);
    const Program program = device.build(program_text(batch));
    if (program.build_log().find("fiber") != std::string::npos)
        std::cout << mark << "fibers = " << program.build_log().substr(0, program.build_log().find('\n')) << '\n';
    for (std::uint32_t k = batch.first; k < batch.first + batch.count; ++k) {
        const KernelText made = kernel(batch.seed + k, name_of(k));
        const std::uint32_t n = batch.seed % 50 + k;
        for (const bool fibers : {false, true}) {
            if (fibers && !splits)
                continue;
            if (fibers)
                setenv("DEVQ_CPU_FIBERS", "1", 1);
            const devq::Kernel built = program.kernel(made.name);
            unsetenv("DEVQ_CPU_FIBERS");
            for (std::size_t shape = 0; shape < made.shapes.size(); ++shape) {
                const std::uint64_t hash = launched(device, built, made, made.shapes[shape], n);
                std::cout << mark << made.name << ' ' << shape << (fibers ? " fibers = " : " = ") << std::hex << hash
                          << std::dec << std::endl;
            }
        }
    }
}

} // namespace devq::generated
