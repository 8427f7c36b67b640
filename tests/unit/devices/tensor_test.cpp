#include "expect.hpp"
#include "state.hpp"
#include <devq/tensor.hpp>
#include <limits>
#include <memory>

using devq::Buffer;
using devq::Dims;
using devq::DType;
using devq::TensorView;
constexpr auto invalid = devq::ErrorCode::invalid_argument;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

namespace {

/// A buffer that only knows its size: views look at nothing else.
Buffer buffer_of(std::size_t bytes) {
    auto state = std::make_shared<devq::detail::BufferState>();
    state->bytes = bytes;
    return Buffer(std::move(state));
}

} // namespace

TEST_CASE("Dims takes up to eight counts") {
    CHECK(Dims{}.rank() == 0);
    CHECK(Dims{}.text() == "[]");
    CHECK(Dims{2, 0, 5}.text() == "[2, 0, 5]");
    CHECK(Dims{1, 2, 3, 4, 5, 6, 7, 8}.rank() == 8);
    CHECK(Dims{2, 3} == Dims{2, 3});
    CHECK_FALSE(Dims{2, 3} == Dims{2, 3, 1});
    CHECK(Dims::filled(3, 7) == Dims{7, 7, 7});
    CHECK(Dims::filled(0, 7) == Dims{});
    CHECK(holds(thrown(invalid, [] { Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}; }), "9 dimensions"));
    CHECK(holds(thrown(invalid, [] { Dims{2, -1}; }), "-1"));
    thrown(invalid, [] { Dims::filled(9, 1); });
    thrown(invalid, [] { Dims::filled(-1, 1); });
    thrown(invalid, [] { Dims::filled(2, -3); });
}

TEST_CASE("row_major strides") {
    CHECK(devq::row_major({}) == Dims{});
    CHECK(devq::row_major({2, 3, 5}) == Dims{15, 5, 1});
    CHECK(devq::row_major({1, 1}) == Dims{1, 1});
    CHECK(devq::row_major({huge}) == Dims{1});
    CHECK(devq::row_major({0, 3}).rank() == 2);
    CHECK(devq::row_major({0, huge, huge}).rank() == 3); // no elements, so that the count fits
    CHECK(holds(thrown(invalid, [] { devq::row_major({huge, 2}); }), "63 bits"));
    thrown(invalid, [] { devq::row_major({std::int64_t{1} << 32, std::int64_t{1} << 31}); });
}

TEST_CASE("a view is checked against its buffer") {
    const Buffer buffer = buffer_of(24 * 4 + 3); // three odd bytes that hold no element
    const TensorView view(buffer, DType::f32, {2, 3, 4});
    CHECK(view.elements() == 24);
    CHECK(view.contiguous());
    CHECK(view.text() == "f32[2, 3, 4] strides [12, 4, 1] offset 0");
    CHECK(view.buffer() == buffer);
    CHECK(TensorView(buffer, DType::f16, {2, 3, 4}, 24).offset() == 24);

    const std::string text = thrown(invalid, [&] { TensorView(buffer, DType::f32, {2, 3, 4}, 1); });
    CHECK(holds(text, "f32[2, 3, 4]"));
    CHECK(holds(text, "element 24"));
    CHECK(holds(text, "24 elements (99 bytes)"));
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {25}); });
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {1}, -1); });
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {0}, 25); });
    CHECK(TensorView(buffer, DType::f32, {0}, 24).elements() == 0);
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {2}, Dims{24}, 0); });
    CHECK(TensorView(buffer, DType::f32, {2}, Dims{23}, 0).elements() == 2);
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {2, 2}, Dims{1}, 0); });
    thrown(invalid, [] { TensorView(Buffer{}, DType::f32, {1}); });
    CHECK(TensorView(buffer, DType::f32, {}, 23).elements() == 1);
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {}, 24); });
}

TEST_CASE("bounds that would overflow are refused, not wrapped") {
    const Buffer buffer = buffer_of(1024);
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {huge}); });
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {2}, Dims{huge}, 0); });
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {3}, Dims{huge}, 0); });          // 2·huge
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {2, 2}, Dims{huge, huge}, 2); }); // wraps to 0
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {1}, huge); });
    thrown(invalid, [&] { TensorView(buffer, DType::f64, {std::int64_t{1} << 61}); }); // bytes wrap to 0
    thrown(invalid, [&] {
        TensorView(buffer, DType::f32, {std::int64_t{1} << 32, std::int64_t{1} << 32}, Dims{0, 0}, 0);
    });
    Dims negative{4};
    negative[0] = -4;
    thrown(invalid, [&] { TensorView(buffer, DType::f32, negative); });
    thrown(invalid, [&] { TensorView(buffer, DType::f32, {4}, negative, 12); });
}

TEST_CASE("slices, transposes and reshapes") {
    const Buffer buffer = buffer_of(100 * 4);
    const TensorView view(buffer, DType::f32, {4, 5}, Dims{20, 2}, 3);
    CHECK_FALSE(view.contiguous());
    const TensorView slice = view.sliced(0, 1, 2).sliced(1, 4, 1);
    CHECK(slice.sizes() == Dims{2, 1});
    CHECK(slice.strides() == Dims{20, 2});
    CHECK(slice.offset() == 3 + 20 + 8);
    CHECK(view.sliced(1, 5, 0).elements() == 0);
    CHECK(view.sliced(0, 4, 0).offset() == 3); // nothing at the end: stays inside the buffer
    CHECK(view.sliced(0, 0, 4).sizes() == view.sizes());
    const std::pair<std::int64_t, std::int64_t> outside[] = {{-1, 1}, {0, 5},    {4, 1},       {5, 0},
                                                             {1, -1}, {1, huge}, {huge, huge}, {huge, 1}};
    for (const auto& range : outside) {
        CAPTURE(range.first);
        CAPTURE(range.second);
        thrown(invalid, [&] { view.sliced(0, range.first, range.second); });
    }
    CHECK(holds(thrown(invalid, [&] { view.sliced(2, 0, 1); }), "axis 2"));
    thrown(invalid, [&] { view.sliced(-1, 0, 1); });

    CHECK(view.sliced(1, 1, 2, 3).strides() == Dims{20, 6}); // elements 1 and 4
    CHECK(view.sliced(1, 1, 2, 3).offset() == 5);
    CHECK(view.sliced(1, 4, 1, huge).strides() == Dims{20, 2});
    CHECK(view.sliced(1, 5, 0, 2).elements() == 0);
    thrown(invalid, [&] { view.sliced(1, 2, 2, 3); });
    thrown(invalid, [&] { view.sliced(1, 0, 2, huge); });
    CHECK(holds(thrown(invalid, [&] { view.sliced(1, 0, 1, 0); }), "step of 0"));

    const TensorView cube(buffer, DType::f32, {2, 3, 4}, 5);
    CHECK(cube.permuted({2, 0, 1}).sizes() == Dims{4, 2, 3});
    CHECK(cube.permuted({2, 0, 1}).strides() == Dims{1, 12, 4});
    CHECK(cube.permuted({2, 0, 1}).offset() == 5);
    CHECK(TensorView(buffer, DType::f32, {}).permuted({}).rank() == 0);
    CHECK(holds(thrown(invalid, [&] { cube.permuted({0, 1}); }), "2 axes are named"));
    CHECK(holds(thrown(invalid, [&] { cube.permuted({0, 1, 1}); }), "named twice"));
    CHECK(holds(thrown(invalid, [&] { cube.permuted({0, 1, 3}); }), "axis 3"));

    const TensorView turned = view.transposed(0, 1);
    CHECK(turned.sizes() == Dims{5, 4});
    CHECK(turned.strides() == Dims{2, 20});
    CHECK(turned.transposed(1, 0).strides() == view.strides());
    CHECK(view.transposed(1, 1).strides() == view.strides());
    thrown(invalid, [&] { view.transposed(0, 2); });
    CHECK(holds(thrown(invalid, [&] { TensorView(buffer, DType::f32, {}).transposed(0, 0); }), "no axes"));

    const TensorView whole(buffer, DType::f32, {4, 25});
    CHECK(whole.reshaped({2, 2, 25}).strides() == Dims{50, 25, 1});
    CHECK(whole.reshaped({100, 1}).elements() == 100);
    CHECK(TensorView(buffer, DType::f32, {0, 3}).reshaped({7, 0}).elements() == 0);
    CHECK(TensorView(buffer, DType::f32, {1}, 99).reshaped({}).offset() == 99);
    thrown(invalid, [&] { whole.reshaped({99}); });
    CHECK(holds(thrown(invalid, [&] { view.reshaped({20}); }), "contiguous"));
    thrown(invalid, [&] { whole.reshaped({huge, huge}); });
    CHECK(whole.sliced(0, 1, 2).contiguous());
    CHECK_FALSE(whole.sliced(1, 0, 24).contiguous());
    CHECK(whole.sliced(1, 7, 1).transposed(0, 1).contiguous() == false);
    CHECK(
        TensorView(buffer, DType::f32, {1, 3}, Dims{77, 1}, 0).contiguous()); // the stride of a size of 1 means nothing
}

TEST_CASE("broadcast repeats axes of size 1 and new leading ones") {
    const Buffer buffer = buffer_of(16);
    const TensorView row(buffer, DType::f32, {1, 4});
    const TensorView wide = row.broadcast_to({7, 3, 4});
    CHECK(wide.sizes() == Dims{7, 3, 4});
    CHECK(wide.strides() == Dims{0, 0, 1});
    CHECK(wide.elements() == 84);
    CHECK_FALSE(wide.contiguous());
    CHECK(row.broadcast_to({0, 4}).elements() == 0);
    CHECK(row.broadcast_to({1, 4}).strides() == row.strides());
    CHECK(TensorView(buffer, DType::f32, {}, 3).broadcast_to({2, 2}).strides() == Dims{0, 0});
    thrown(invalid, [&] { row.broadcast_to({4}); });
    thrown(invalid, [&] { row.broadcast_to({3, 5}); });
    thrown(invalid, [&] { row.broadcast_to({4, 1}); });
    thrown(invalid, [&] { row.broadcast_to({huge, 4}); });
}

TEST_CASE("a view does not keep its buffer alive, and says so") {
    TensorView view;
    thrown(invalid, [&] { view.buffer(); });
    {
        const Buffer buffer = buffer_of(16);
        view = TensorView(buffer, DType::i32, {2, 2});
        CHECK(view.buffer().size() == 16);
    }
    CHECK(holds(thrown(invalid, [&] { view.buffer(); }), "i32[2, 2]"));
    CHECK(view.transposed(0, 1).strides() == Dims{1, 2}); // arithmetic alone needs no memory
    thrown(invalid, [&] { view.sliced(0, 0, 1).buffer(); });
}
