// Boost.Compute and devq on one device, one queue, one piece of memory, nothing copied: Boost.Compute sorts, devq's
// softmax makes probabilities of the sorted scores, Boost.Compute sums them up to a distribution.
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/functional/operator.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/utility/program_cache.hpp>
#include <cmath>
#include <cstdio>
#include <devq/devq.hpp>
#include <devq/opencl.hpp>
#include <stdexcept>
#include <vector>

namespace compute = boost::compute;

namespace {

/// Boost.Compute keeps every program that it builds, and the context with them, until the process ends. Cleared when
/// the work is done, the device closes with devq's last handle, while the driver is still whole.
struct ProgramsOf {
    compute::context context;
    ~ProgramsOf() { compute::program_cache::get_global_cache(context)->clear(); }
};

void run(const char* selector) {
    constexpr std::int64_t count = 8;
    const devq::Device device = devq::open_device(selector);
    const devq::Queue queue = device.create_queue();
    const devq::Tensor scores(device, devq::DType::f32, {1, count});
    const std::vector<float> values = {0.5f, 3, -1, 2, 0, 1.5f, -2, 1};
    queue.write(scores.buffer(), std::span(values));

    // What devq lends, Boost.Compute takes a share of.
    compute::context context(devq::opencl::context(device));
    const ProgramsOf programs{context};
    compute::command_queue boost_queue(devq::opencl::command_queue(queue));
    const compute::buffer memory(devq::opencl::mem(scores.buffer()));
    const auto first = compute::make_buffer_iterator<float>(memory, 0);
    const auto last = compute::make_buffer_iterator<float>(memory, count);

    compute::sort(first, last, compute::greater<float>(), boost_queue);
    devq::ops::softmax(queue, scores, scores);
    compute::inclusive_scan(first, last, first, boost_queue);

    std::vector<float> result(count);
    queue.read(std::span(result), scores.buffer());
    std::printf("%s:", device.info().name.c_str());
    for (const float value : result)
        std::printf(" %.3f", static_cast<double>(value));
    std::printf("\n");
    if (std::fabs(result.back() - 1) > 1e-5f)
        throw std::runtime_error("the probabilities do not sum up to 1");
}

} // namespace

int main(int argument_count, char** arguments) {
    try {
        run(argument_count > 1 ? arguments[1] : "opencl");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
