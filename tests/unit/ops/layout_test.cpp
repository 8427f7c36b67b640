#include "../../seed.hpp"
#include "builtin.hpp"
#include "fake_device.hpp"
#include "ops/layout.hpp"
#include "ops/overlap.hpp"
#include "state.hpp"
#include <doctest/doctest.h>
#include <random>
#include <set>

using namespace devq;
using namespace devq::detail;
using ops_test::fake;

namespace {

struct Bytes {
    std::set<std::int64_t> all;
    bool twice = false;
};

/// By listing every byte.
Bytes bytes_of(const TensorView& view) {
    Bytes bytes;
    const auto size = static_cast<std::int64_t>(size_of(view.dtype()));
    for (std::int64_t n = 0; n < view.elements(); n++) {
        std::int64_t at = view.offset(), rest = n;
        for (int d = view.rank() - 1; d >= 0; d--) {
            at += rest % view.size(d) * view.stride(d);
            rest /= view.size(d);
        }
        for (std::int64_t b = 0; b < size; b++)
            bytes.twice |= !bytes.all.insert(at * size + b).second;
    }
    return bytes;
}

class Views {
public:
    explicit Views(const Buffer& buffer, unsigned seed) : buffer_(buffer), random_(seed) {}
    TensorView next() {
        Dims sizes = Dims::filled(pick(0, 4), 1), strides = sizes;
        for (int d = 0; d < sizes.rank(); d++) {
            sizes[d] = pick(pick(0, 9) == 0 ? 0 : 1, 4);
            strides[d] = pick(0, 12);
        }
        constexpr DType types[] = {DType::f32, DType::f16, DType::i8};
        return TensorView(buffer_, types[pick(0, 2)], sizes, strides, pick(0, 30));
    }

private:
    int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
    Buffer buffer_;
    std::mt19937 random_;
};

} // namespace

TEST_CASE("overlap is what listing every byte finds") {
    const auto seed = static_cast<unsigned>(tests::fresh_seed("overlap"));
    auto made = fake("gpu", 4, 256);
    const Buffer buffer = made.device.allocate(4096);
    Views views(buffer, seed);
    int itself = 0, both = 0;
    for (int round = 0; round < 3000; round++) {
        const TensorView a = views.next(), b = views.next();
        CAPTURE(a.text());
        CAPTURE(b.text());
        const Bytes of_a = bytes_of(a), of_b = bytes_of(b);
        bool common = false;
        for (const std::int64_t byte : of_a.all)
            common |= of_b.all.count(byte) != 0;
        itself += of_a.twice;
        both += common;
        CHECK(overlaps_itself(a) == of_a.twice);
        CHECK(overlap(a, b) == common);
        CHECK(overlap(b, a) == common);
    }
    CHECK(itself > 100); // both answers were asked for
    CHECK(itself < 2900);
    CHECK(both > 100);
    CHECK(both < 2900);
}

TEST_CASE("columns of one matrix are apart, however large it is") {
    auto made = fake("gpu", 4, 256);
    const Buffer buffer = made.device.allocate(std::size_t{4} << 30);
    const TensorView matrix(buffer, DType::f32, {1 << 15, 1 << 15});
    CHECK(!overlap(matrix.sliced(1, 0, 100), matrix.sliced(1, 100, 100)));
    CHECK(overlap(matrix.sliced(1, 0, 101), matrix.sliced(1, 100, 100)));
    CHECK(!overlaps_itself(matrix.transposed(0, 1).sliced(0, 3, 77)));
    CHECK(overlaps_itself(TensorView(buffer, DType::f32, {1 << 15, 1 << 15}, {(1 << 15) - 1, 1}, 0)));
}

TEST_CASE("the same view, whatever strides of single elements say") {
    auto made = fake("gpu", 4, 256);
    const Buffer buffer = made.device.allocate(4096);
    const TensorView a(buffer, DType::f16, {1, 5}, {5, 1}, 2);
    CHECK(same_elements(a, TensorView(buffer, DType::f16, {1, 5}, {77, 1}, 2)));
    CHECK(!same_elements(a, TensorView(buffer, DType::f16, {1, 5}, {5, 2}, 2)));
    CHECK(!same_elements(a, TensorView(buffer, DType::f16, {1, 5}, {5, 1}, 3)));
    CHECK(!same_elements(a, TensorView(buffer, DType::bf16, {1, 5}, {5, 1}, 2)));
}

TEST_CASE("axes are ordered by the first operand and merged where all agree") {
    const auto plain = collapse<2>(Dims{2, 3, 5}, {Dims{15, 5, 1}, Dims{15, 5, 1}});
    CHECK(plain.rank == 1);
    CHECK(plain.sizes[0] == 30);
    CHECK(plain.strides[1][0] == 1);

    const auto row = collapse<2>(Dims{2, 3, 5}, {Dims{15, 5, 1}, Dims{0, 0, 1}}); // a bias
    CHECK(row.rank == 2);
    CHECK(row.sizes[0] == 6);
    CHECK(row.strides[1][0] == 0);
    CHECK(row.sizes[1] == 5);

    const auto turned = collapse<2>(Dims{4, 1, 7}, {Dims{1, 99, 4}, Dims{7, 3, 1}});
    CHECK(turned.rank == 2);
    CHECK(turned.sizes[0] == 7);
    CHECK(turned.sizes[1] == 4);
    CHECK(turned.strides[0][1] == 1);
    CHECK(turned.strides[1][1] == 7);

    auto single = collapse<1>(Dims{1, 1}, {Dims{3, 3}});
    CHECK(single.rank == 0);
    CHECK(single.elements() == 1);
    CHECK(single.take_inner().size == 1);
}

TEST_CASE("a split covers every unit, in groups that the kernel can run with") {
    auto made = fake("gpu", 4, 256);
    const DeviceState& device = *made.device.state();
    for (const unsigned group : {1u, 8u, 256u})
        for (const bool cooperative : {false, true})
            for (const std::int64_t units : {1LL, 7LL, 1000LL, 123456789LL})
                for (const std::int64_t cost : {1LL, 64LL, 100000LL}) {
                    BuiltinKernel kernel;
                    kernel.group = group;
                    const Split work = split(device, kernel, units, cost, cooperative, 40);
                    CAPTURE(group);
                    CAPTURE(units);
                    CHECK(work.groups * work.units_per_group >= units);
                    CHECK((work.groups - 1) * work.units_per_group < units);
                    CHECK(work.local >= 1);
                    CHECK(work.local <= group);
                    CHECK((work.local & (work.local - 1)) == 0);
                    CHECK(work.groups <= 100000);
                }
}
