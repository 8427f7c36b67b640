#include "support.hpp"
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/utility/program_cache.hpp>
#include <numeric>
#include <random>

using namespace devq;
using namespace sharing;
namespace compute = boost::compute;

namespace {

std::vector<float> shuffled(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    std::shuffle(values.begin(), values.end(), std::mt19937(20261130));
    return values;
}

/// Boost.Compute keeps the programs that its algorithms build for the rest of the process, and with them the context.
/// Who wants the device to close clears the cache first.
struct ProgramsOf {
    compute::context context;
    ~ProgramsOf() { compute::program_cache::get_global_cache(context)->clear(); }
};

} // namespace

TEST_CASE("Boost.Compute's sort and scan and devq's kernels in turn, in devq's context") {
    DEVQ_DEVICE_OR_RETURN(opened);
    Foreign another(opencl::device_id(opened)); // a context that nothing else has used: its references can be counted
    const std::size_t count = 1000;
    const cl_uint before = references(another.context);
    {
        const Device device = opencl::wrap_device(another.context, another.device);
        const Queue queue = device.create_queue();
        const Buffer buffer = device.allocate(count * sizeof(float));
        std::vector<float> values = shuffled(count);
        queue.write(buffer, std::span<const float>(values));

        compute::context context(opencl::context(device));
        const ProgramsOf programs{context};
        compute::command_queue boost_queue(opencl::command_queue(queue));
        const compute::buffer memory(opencl::mem(buffer));
        CHECK(context == boost_queue.get_context());
        CHECK(memory.size() >= buffer.size());
        const auto first = compute::make_buffer_iterator<float>(memory, 0);
        const auto last = compute::make_buffer_iterator<float>(memory, count);

        compute::sort(first, last, boost_queue);
        queue.launch(step_kernel(device), count, buffer, 2.0f);
        compute::inclusive_scan(first, last, first, boost_queue);
        const TensorView view(buffer, DType::f32, {static_cast<std::int64_t>(count)});
        ops::unary(queue, ops::Unary::negate, view, view);

        std::sort(values.begin(), values.end());
        for (float& value : values)
            value = value * 2 + 1;
        std::partial_sum(values.begin(), values.end(), values.begin());
        for (float& value : values)
            value = -value;
        CHECK(download<float>(queue, buffer) == values); // whole numbers below 2^24: exact
        CHECK(compute::program_cache::get_global_cache(context)->size() > 0);
    }
    CHECK(comes_to(another.context, before));
}

TEST_CASE("the other way about: devq works with what Boost.Compute has made") {
    DEVQ_DEVICE_OR_RETURN(opened);
    const cl_device_id id = opencl::device_id(opened);
    const compute::device boost_device(id);
    compute::context context(boost_device);
    const cl_uint before = references(context.get());
    const std::size_t count = 257;
    {
        const ProgramsOf programs{context};
        compute::command_queue boost_queue(context, boost_device, compute::command_queue::enable_profiling);
        std::vector<float> values = shuffled(count);
        compute::vector<float> numbers(values.begin(), values.end(), boost_queue);

        const Device device = opencl::wrap_device(context.get(), id);
        const Queue queue = opencl::wrap_queue(device, boost_queue.get());
        const Buffer buffer = opencl::wrap_buffer(device, numbers.get_buffer().get());
        CHECK(buffer.size() >= count * sizeof(float)); // a vector has room to grow
        const Event start = queue.record();
        queue.launch(step_kernel(device), count, buffer, 3.0f);
        compute::sort(numbers.begin(), numbers.end(), boost_queue);
        const TensorView view(buffer, DType::f32, {static_cast<std::int64_t>(count)});
        ops::unary(queue, ops::Unary::sqrt, view, view);
        ops::unary(queue, ops::Unary::square, view, view);
        const Event end = queue.record();

        std::vector<float> result(count);
        compute::copy(numbers.begin(), numbers.end(), result.begin(), boost_queue);
        std::sort(values.begin(), values.end());
        for (std::size_t i = 0; i < count; ++i)
            CHECK(result[i] == doctest::Approx(values[i] * 3 + 1));
        queue.wait();
        CHECK(elapsed_ms(start, end) >= 0);
    }
    CHECK(comes_to(context.get(), before));
}

TEST_CASE("Boost.Compute's cache of programs, not devq, is what would keep a context") {
    DEVQ_DEVICE_OR_RETURN(opened);
    Foreign another(opencl::device_id(opened));
    const cl_uint before = references(another.context);
    {
        const Device device = opencl::wrap_device(another.context, another.device);
        const Queue queue = device.create_queue();
        const Buffer buffer = device.allocate(256);
        compute::command_queue boost_queue(opencl::command_queue(queue));
        const compute::buffer memory(opencl::mem(buffer));
        compute::sort(compute::make_buffer_iterator<float>(memory, 0), compute::make_buffer_iterator<float>(memory, 64),
                      boost_queue);
        queue.wait();
    }
    CHECK(references(another.context) > before);
    compute::program_cache::get_global_cache(compute::context(another.context))->clear();
    CHECK(comes_to(another.context, before));
}

TEST_CASE("the example runs") {
    DEVQ_DEVICE_OR_RETURN(opened);
    const auto program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "examples/boost_compute/boost_compute";
    if (!std::filesystem::exists(program)) // built with -Dexamples=false
        return;
    CHECK(std::system(("'" + program.string() + "' > /dev/null").c_str()) == 0);
}
