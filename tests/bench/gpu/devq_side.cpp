#include "rows.hpp"
#include <span>

namespace devq::bench {

namespace {

struct Part {
    Tensor tensor;
    TensorView view; ///< in the operation's order of axes
};

Part put(const Queue& queue, DType type, Dims sizes, unsigned seed) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        count *= size;
    // [image, channel, row, column] whatever the order in memory.
    const bool channels_last = sizes.rank() == 4 && size_of(type) == 2;
    if (channels_last)
        sizes = Dims{sizes[0], sizes[2], sizes[3], sizes[1]};
    Tensor tensor(queue.device(), type, sizes);
    const std::vector<std::byte> values = numbers(type, count, seed);
    queue.write(tensor.buffer(), std::span(values));
    TensorView view = tensor;
    if (channels_last)
        view = view.transposed(1, 3).transposed(2, 3);
    return {std::move(tensor), view};
}

void finish(Result& result, const Queue& queue, const Row& row, const Part& out) {
    std::vector<std::byte> values(
        std::min<std::size_t>(out.tensor.buffer().size(), static_cast<std::size_t>(summed) * size_of(row.type)));
    queue.read(values.data(), out.tensor.buffer(), 0, values.size());
    result.sum = absolute_sum(row.type, values);
}

void run_copy(Result& result, const Queue& queue, const Row& row, double seconds) {
    const auto bytes = static_cast<std::size_t>(row.bytes);
    const Buffer to = queue.device().allocate(bytes), from = queue.device().allocate(bytes);
    std::vector<std::byte> host(bytes, std::byte{1});
    queue.write(from, 0, host.data(), bytes);
    result.path = "devq";
    measure(
        result, seconds,
        [&] {
            if (row.op == "copy_h2d")
                queue.write(to, 0, host.data(), bytes);
            else if (row.op == "copy_d2h")
                queue.read(host.data(), from, 0, bytes);
            else
                queue.copy(to, 0, from, 0, bytes);
        },
        [&] { queue.wait(); });
}

void run(Result& result, const Queue& queue, const Row& row, ops::Path path, double seconds) {
    const auto timed = [&](const Part& out, const auto& call) {
        measure(
            result, seconds, [&] { result.path = call().path; }, [&] { queue.wait(); });
        finish(result, queue, row, out);
    };
    if (row.kind == Kind::copy)
        return run_copy(result, queue, row, seconds);
    if (row.kind == Kind::softmax) {
        const Part in = put(queue, row.type, {row.m, row.n}, 1), out = put(queue, row.type, {row.m, row.n}, 2);
        return timed(out, [&] { return ops::softmax(queue, out.view, in.view); });
    }
    if (row.kind == Kind::matmul) {
        const Part a = put(queue, row.type, {row.batch, row.m, row.k}, 1);
        const Part b = put(queue, row.type, {row.batch, row.k, row.n}, 2);
        const Part out = put(queue, row.type, {row.batch, row.m, row.n}, 3);
        ops::MatmulOptions options;
        options.path = path;
        return timed(out, [&] { return ops::matmul(queue, out.view, a.view, b.view, options); });
    }
    const Part image = put(queue, row.type, {row.images, row.channels, row.size, row.size}, 1);
    const Part filter = put(queue, row.type, {row.filters, row.channels, 3, 3}, 2);
    const Part result_image = put(queue, row.type, {row.images, row.filters, row.size, row.size}, 3);
    ops::Conv2dOptions options;
    options.path = path;
    options.padding = {1, 1, 1, 1};
    const ops::Conv2dGeometry& geometry = options;
    switch (row.kind) {
    case Kind::conv2d_backward_data:
        return timed(image, [&] {
            return ops::conv2d_backward_data(queue, image.view, result_image.view, filter.view, geometry);
        });
    case Kind::conv2d_backward_filter:
        return timed(filter, [&] {
            return ops::conv2d_backward_filter(queue, filter.view, image.view, result_image.view, geometry);
        });
    default:
        return timed(result_image,
                     [&] { return ops::conv2d(queue, result_image.view, image.view, filter.view, options); });
    }
}

} // namespace

Result run_devq(const Queue& queue, const Row& row, ops::Path path, double seconds) {
    Result result;
    try {
        if (path == ops::Path::vendor && (row.kind == Kind::softmax || row.kind == Kind::copy))
            result.error = "no vendor's path";
        else
            run(result, queue, row, path, seconds);
    } catch (const std::exception& error) {
        result = {};
        result.error = error.what();
    }
    return result;
}

} // namespace devq::bench
