// Random shapes and layouts beside the listed ones: sizes, order of the axes, gaps, steps, offsets and broadcasts from
// a printed seed (DEVQ_TEST_SEED repeats it), on every device present or on DEVQ_TEST_DEVICE.
#include "cases.hpp"
#include "test_devices.hpp"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <numeric>

using namespace devq;
using namespace devq::conformance;

namespace {

constexpr int cases_a_device = 600;

class Shapes {
public:
    explicit Shapes(Random& random) : random_(random) {}

    /// At most some 20,000 elements.
    Dims sizes(int least_rank = 0, int most_rank = max_rank) {
        constexpr std::int64_t likely[] = {1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 129};
        const int rank = least_rank + static_cast<int>(random_.below(most_rank - least_rank + 1));
        Dims sizes = Dims::filled(rank, 1);
        std::int64_t elements = 1;
        for (int axis : shuffled(rank)) {
            const std::int64_t size =
                random_.one_in(60) ? 0 : likely[static_cast<std::size_t>(random_.below(std::size(likely)))];
            sizes[axis] = elements * size > 20000 ? 1 : size;
            elements *= std::max<std::int64_t>(sizes[axis], 1);
        }
        return sizes;
    }

    /// No two elements in one place; any order of the axes, gaps between them, a step, an offset.
    Layout spread(const Dims& sizes) {
        Layout layout = packed(sizes);
        if (!random_.one_in(3)) {
            const bool in_order = random_.one_in(2);
            std::vector<int> order = shuffled(sizes.rank());
            if (in_order)
                for (int i = 0; i < sizes.rank(); ++i)
                    order[static_cast<std::size_t>(i)] = sizes.rank() - 1 - i;
            std::int64_t stride = random_.one_in(4) ? 2 + random_.below(2) : 1;
            for (const int axis : order) {
                layout.strides[axis] = stride;
                stride = stride * std::max<std::int64_t>(sizes[axis], 1) + (random_.one_in(4) ? random_.below(4) : 0);
            }
        }
        layout.shift = random_.one_in(2) ? random_.below(5) : 0;
        return layout;
    }

    /// An input that broadcasts to `sizes`: strides of 0, axes of size 1, leading axes left out.
    Layout input(const Dims& sizes) {
        const int missing =
            random_.one_in(3) && sizes.rank() > 0 ? static_cast<int>(random_.below(sizes.rank() + 1)) : 0;
        Dims own = Dims::filled(sizes.rank() - missing, 1);
        for (int axis = 0; axis < own.rank(); ++axis)
            own[axis] = random_.one_in(6) ? 1 : sizes[axis + missing];
        Layout layout = spread(own);
        if (random_.one_in(3))
            for (int axis = 0; axis < own.rank(); ++axis)
                if (random_.one_in(3))
                    layout.strides[axis] = 0;
        return layout;
    }

    Values values() {
        constexpr Values kinds[] = {Values::wide, Values::special, Values::any_bits, Values::small_integers};
        return kinds[random_.below(std::size(kinds))];
    }

    std::vector<int> shuffled(int count) {
        std::vector<int> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
        return order;
    }

private:
    Random& random_;
};

std::string described(const char* name, const Layout& layout) {
    return fmt::format("{} {} strides {} offset {}; ", name, layout.sizes.text(), layout.strides.text(), layout.shift);
}

/// `sizes` without `axis`.
Dims without(const Dims& sizes, int axis) {
    Dims kept = Dims::filled(sizes.rank() - 1, 0);
    for (int i = 0; i < kept.rank(); ++i)
        kept[i] = sizes[i < axis ? i : i + 1];
    return kept;
}

Case random_matmul(Random& random, Shapes& shapes, DType type) {
    const Dims out = shapes.sizes(2);
    Dims left = out, right = out;
    const int rank = out.rank();
    const std::int64_t k = random.one_in(20) ? 0 : 1 + random.below(random.one_in(4) ? 200 : 30);
    left[rank - 1] = k;
    right[rank - 2] = k;
    for (int axis = 0; axis < rank - 2; ++axis) // one side's batches broadcast
        if (random.one_in(3))
            (random.one_in(2) ? left : right)[axis] = 1;
    const Layout y = shapes.spread(out), a = shapes.spread(left), b = shapes.spread(right);
    return matmul_case(type, described("out", y) + described("a", a) + described("b", b), y, a, b);
}

Case random_case(Random& random) {
    using ops::Binary;
    using ops::Reduction;
    using ops::Unary;
    Shapes shapes(random);
    const DType type = storage_types[random.below(3)];
    switch (random.below(6)) {
    case 0: {
        constexpr Unary operations[] = {Unary::copy, Unary::square, Unary::exp, Unary::gelu};
        const Dims sizes = shapes.sizes();
        const Layout out = shapes.spread(sizes), in = shapes.input(sizes);
        return unary_case(operations[random.below(4)], type, described("out", out) + described("in", in), out, in,
                          shapes.values());
    }
    case 1: {
        constexpr Binary operations[] = {Binary::add, Binary::divide, Binary::maximum, Binary::relu_backward};
        const Dims sizes = shapes.sizes();
        const Layout out = shapes.spread(sizes), a = shapes.input(sizes), b = shapes.input(sizes);
        return binary_case(operations[random.below(4)], type,
                           described("out", out) + described("a", a) + described("b", b), out, a, b, shapes.values());
    }
    case 2: {
        const Dims sizes = shapes.sizes();
        const Layout out = shapes.spread(sizes), in = shapes.input(sizes);
        return cast_case(type, storage_types[random.below(3)], described("out", out) + described("in", in), out, in,
                         shapes.values());
    }
    case 3: {
        const Dims sizes = shapes.sizes(1);
        const int axis = static_cast<int>(random.below(sizes.rank()));
        constexpr Reduction operations[] = {Reduction::sum,    Reduction::mean, Reduction::max, Reduction::argmax,
                                            Reduction::argmin, Reduction::min,  Reduction::norm};
        Reduction op = operations[random.below(7)];
        if (sizes[axis] == 0)
            op = Reduction::sum; // the others have no value there
        Layout in = shapes.spread(sizes);
        if (random.one_in(4))
            in.strides[static_cast<int>(random.below(sizes.rank()))] = 0;
        const Layout out = shapes.spread(without(sizes, axis));
        const bool chooses = op != Reduction::sum && op != Reduction::mean && op != Reduction::norm;
        return reduce_case(op, type, described("out", out) + described("in", in) + fmt::format("axis {}", axis), out,
                           in, axis,
                           chooses            ? shapes.values()
                           : random.one_in(2) ? Values::risky
                                              : Values::wide);
    }
    case 4: {
        const Dims sizes = shapes.sizes(1);
        const int axis = static_cast<int>(random.below(sizes.rank()));
        const Layout out = shapes.spread(sizes), in = shapes.spread(sizes);
        return softmax_case(type, described("out", out) + described("in", in) + fmt::format("axis {}", axis), out, in,
                            axis, random.one_in(2) ? Values::risky : Values::moderate);
    }
    default:
        return random_matmul(random, shapes, type);
    }
}

} // namespace

TEST_CASE("random shapes and layouts on every device") {
    const std::uint64_t seed = test_seed();
    for (const Device& device : devices_to_test()) {
        MESSAGE(device.info().id, ", seed ", seed);
        const Queue queue = device.create_queue();
        Random random(seed);
        for (int i = 0; i < cases_a_device; ++i) {
            const Case test = random_case(random);
            const Result result = run_case(queue, test, seed);
            CHECK_MESSAGE(result.status == Status::passed, device.info().id, ", number ", i, ", seed ", seed, ": ",
                          test.name(), "\n  ", result.reason);
            REQUIRE_FALSE(result.device_gone);
        }
    }
}
