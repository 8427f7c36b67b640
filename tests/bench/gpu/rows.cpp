#include "rows.hpp"
#include <algorithm>
#include <cmath>

namespace devq::bench {

namespace {

std::string text(std::int64_t number) { return std::to_string(number); }

Row product(const char* op, DType type, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
    Row row;
    row.op = op;
    row.type = type;
    row.batch = batch;
    row.m = m;
    row.n = n;
    row.k = k;
    row.shape = "b" + text(batch) + " m" + text(m) + " n" + text(n) + " k" + text(k);
    return row;
}

Row convolution(Kind kind, const char* op, DType type, std::int64_t images, std::int64_t channels, std::int64_t size) {
    Row row;
    row.kind = kind;
    row.op = op;
    row.type = type;
    row.images = images;
    row.channels = row.filters = channels;
    row.size = size;
    row.shape = "n" + text(images) + " c" + text(channels) + " k" + text(channels) + " " + text(size) + "x" +
                text(size) + " 3x3 pad1";
    return row;
}

} // namespace

double Row::flops() const {
    switch (kind) {
    case Kind::matmul:
        return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
               static_cast<double>(k);
    case Kind::conv2d:
    case Kind::conv2d_backward_data:
    case Kind::conv2d_backward_filter:
        return 2.0 * 9 * static_cast<double>(images * size * size) * static_cast<double>(channels * filters);
    default:
        return 0;
    }
}

std::vector<Row> rows(bool quick) {
    std::vector<Row> all;
    const DType types[] = {DType::f32, DType::f16, DType::bf16};
    for (const DType type : types) {
        all.push_back(quick ? product("matmul", type, 1, 32, 32, 32) : product("matmul", type, 1, 1024, 1024, 1024));
        if (!quick)
            all.push_back(product("matmul", type, 1, 8192, 8192, 8192));
        all.push_back(quick ? product("matmul", type, 3, 16, 16, 16) : product("matmul", type, 64, 256, 256, 256));
        if (!quick)
            all.push_back(product("matmul", type, 512, 32, 32, 32));
        all.push_back(quick ? product("matvec", type, 1, 32, 1, 48) : product("matvec", type, 1, 4096, 1, 14336));
    }
    for (const auto& [kind, op] : {std::pair{Kind::conv2d, "conv2d"},
                                   {Kind::conv2d_backward_data, "conv2d_backward_data"},
                                   {Kind::conv2d_backward_filter, "conv2d_backward_filter"}})
        for (const DType type : types)
            all.push_back(quick ? convolution(kind, op, type, 1, 8, 6) : convolution(kind, op, type, 8, 64, 56));
    for (const DType type : types)
        for (const std::int64_t lines : {4096, 65536}) {
            if (quick && lines > 4096)
                continue;
            Row row;
            row.kind = Kind::softmax;
            row.op = "softmax";
            row.type = type;
            row.m = quick ? 8 : lines;
            row.n = quick ? 64 : 1024;
            row.shape = text(row.m) + "x" + text(row.n);
            all.push_back(row);
        }
    for (const char* op : {"copy_h2d", "copy_d2h", "copy_d2d"}) {
        Row row;
        row.kind = Kind::copy;
        row.op = op;
        row.type = DType::u8;
        row.bytes = quick ? 65536 : std::int64_t{64} << 20;
        row.shape = text(row.bytes) + " bytes";
        all.push_back(row);
    }
    return all;
}

std::vector<std::byte> numbers(DType type, std::int64_t count, unsigned seed) {
    // k/128, k from -128 to 127: seven digits, which each type has.
    std::uint32_t bits[256];
    for (int k = -128; k < 128; ++k) {
        const float value = static_cast<float>(k) / 128;
        std::uint32_t& at = bits[k + 128];
        std::memcpy(&at, &value, 4);
        if (type == DType::bf16)
            at >>= 16;
        else if (type == DType::f16) // never denormal there
            at = k == 0 ? 0 : (at >> 16 & 0x8000) | (((at >> 23 & 255) - 112) << 10) | (at >> 13 & 1023);
    }
    const std::size_t size = size_of(type);
    std::vector<std::byte> made(static_cast<std::size_t>(count) * size);
    std::uint32_t state = seed * 2654435761u + 1;
    for (std::size_t i = 0; i < made.size(); i += size) {
        state = state * 1664525u + 1013904223u;
        std::memcpy(&made[i], &bits[state >> 24], size); // little-endian, as all of these machines are
    }
    return made;
}

double absolute_sum(DType type, const std::vector<std::byte>& values) {
    double sum = 0;
    const std::size_t size = size_of(type);
    for (std::size_t i = 0; i + size <= values.size(); i += size) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &values[i], size);
        float value = 0;
        if (type == DType::f16) {
            const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
            value = exponent == 31  ? HUGE_VALF
                    : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
        } else {
            bits <<= type == DType::bf16 ? 16 : 0;
            std::memcpy(&value, &bits, 4);
        }
        sum += std::fabs(static_cast<double>(value));
    }
    return sum;
}

void measure(Result& into, double seconds, const std::function<void()>& queue_it, const std::function<void()>& wait) {
    using Clock = std::chrono::steady_clock;
    const auto batch = [&](std::int64_t calls) {
        const auto start = Clock::now();
        for (std::int64_t i = 0; i < calls; ++i)
            queue_it();
        wait();
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    batch(1); // what is loaded, compiled or chosen at the first call
    std::int64_t calls = 1;
    while (seconds > 0 && calls < 4096 && batch(calls) < 5)
        calls *= 2;
    std::vector<double> times;
    const auto start = Clock::now();
    do
        times.push_back(batch(calls) / static_cast<double>(calls));
    while (seconds > 0 && (times.size() < 3 || std::chrono::duration<double>(Clock::now() - start).count() < seconds));
    std::sort(times.begin(), times.end());
    into.ms_min = times.front();
    into.ms_median = times[times.size() / 2];
}

} // namespace devq::bench
