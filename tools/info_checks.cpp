#include "info_checks.hpp"
#include "info_kernels.hpp"
#include "stdout_catch.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

namespace devq::tools {

namespace {

using Bits = std::vector<std::uint16_t>;

/// Every 16-bit pattern, in order.
Bits all_patterns() {
    Bits bits(65536);
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = static_cast<std::uint16_t>(i);
    return bits;
}

template <class T>
Buffer upload(Trial& trial, const std::vector<T>& values) {
    Buffer buffer = trial.device.allocate(values.size() * sizeof(T));
    trial.queue.write(buffer, std::span<const T>(values));
    return buffer;
}

template <class T>
std::vector<T> download(Trial& trial, const Buffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    trial.queue.read(std::span<T>(values), buffer);
    return values;
}

/// `back` holds `from` over and over; NaNs may change their payload. `infinity`: the pattern of +infinity.
Finding compare(const Bits& from, const Bits& back, unsigned infinity) {
    for (std::size_t i = 0; i < back.size(); ++i) {
        const unsigned want = from[i % from.size()], got = back[i];
        const bool nan = (want & 0x7fffu) > infinity;
        if (nan ? (got & 0x7fffu) <= infinity : got != want)
            return {0, fmt::format("0x{:04x} came back as 0x{:04x}", want, got)};
    }
    return {1, {}};
}

Finding yes_if(bool right, const std::string& otherwise) { return {right ? 1u : 0u, right ? "" : otherwise}; }

/// The most, from `asked` down by halves, that `works` is true for; the reason is that of the first failure.
template <class Works>
Finding most(std::uint64_t asked, Works&& works) {
    Finding finding;
    for (std::uint64_t size = asked; size > 0; size /= 2) {
        try {
            if (works(size)) {
                finding.value = size;
                return finding;
            }
            if (finding.reason.empty())
                finding.reason = "wrong values";
        } catch (const Error& error) {
            if (error.code() == ErrorCode::device_lost || error.code() == ErrorCode::build_failed)
                throw;
            if (finding.reason.empty())
                finding.reason = error.what();
        }
    }
    return finding;
}

} // namespace

Program Trial::program_of(const std::string& name) {
    const auto* const found = std::find_if(std::begin(trial_kernels), std::end(trial_kernels),
                                           [&](const TrialKernel& kernel) { return kernel.name == name; });
    if (found == std::end(trial_kernels))
        throw std::logic_error("no trial kernel " + name);
    BuildOptions options;
    options.file_name = "devq-info.cl";
    if (found->core && !together_ && !together_failed_) {
        std::string text;
        for (const TrialKernel& kernel : trial_kernels)
            if (kernel.core)
                text += kernel.text;
        try {
            together_ = device.build(text, options);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::device_lost)
                throw;
            together_failed_ = true;
        }
    }
    if (found->core && together_)
        return *together_;
    if (!apart_.contains(name))
        apart_[name] = device.build(found->text, options);
    return apart_[name];
}

Kernel Trial::kernel(const std::string& name) { return program_of(name).kernel(name); }

Finding try_half_storage(Trial& trial) {
    const Bits from = all_patterns();
    // To the nearest, ties to even; 65520 is the first number that is infinity.
    const std::vector<float> wide = {2049, 2051, -1.0f / 3, 65519, 65520, 1e-8f, 5.9604645e-8f, -0.0f};
    const Bits nearest = {0x6800, 0x6802, 0xb555, 0x7bff, 0x7c00, 0x0000, 0x0001, 0x8000};
    const Buffer source = upload(trial, from), values = upload(trial, wide);
    const Buffer target = trial.device.allocate(from.size() * 2), rounded = trial.device.allocate(nearest.size() * 2);
    trial.queue.launch(trial.kernel("devq_half"), from.size(), source, target, values, rounded);
    Finding finding = compare(from, download<std::uint16_t>(trial, target, from.size()), 0x7c00);
    const Bits got = download<std::uint16_t>(trial, rounded, nearest.size());
    for (std::size_t i = 0; i < got.size() && finding.value != 0; ++i)
        if (got[i] != nearest[i])
            finding = {0, fmt::format("{} is stored as 0x{:04x}, not 0x{:04x}", wide[i], got[i], nearest[i])};
    return finding;
}

Finding try_half_vectors(Trial& trial) {
    const Bits from = all_patterns();
    const Buffer source = upload(trial, from), target = trial.device.allocate(from.size() * 2 * 4);
    trial.queue.launch(trial.kernel("devq_half_vectors"), from.size() / 16, source, target, int(from.size()));
    return compare(from, download<std::uint16_t>(trial, target, from.size() * 4), 0x7c00);
}

Finding try_bfloat_storage(Trial& trial) {
    Bits from = all_patterns();
    // What is below the smallest normal number may be flushed to zero: OpenCL and CUDA allow it in f32 arithmetic.
    std::erase_if(from, [](unsigned bits) { return (bits & 0x7f80u) == 0 && (bits & 0x7fu) != 0; });
    const Buffer source = upload(trial, from), target = trial.device.allocate(from.size() * 2);
    trial.queue.launch(trial.kernel("devq_bfloat"), from.size(), source, target, 1.0f);
    return compare(from, download<std::uint16_t>(trial, target, from.size()), 0x7f80);
}

Finding try_double(Trial& trial) {
    const double x = 1 + std::ldexp(1.0, -40); // lost in f32
    const Buffer target = trial.device.allocate(2 * sizeof(double));
    trial.queue.launch(trial.kernel("devq_double"), 1, target, x);
    const auto got = download<double>(trial, target, 2);
    return yes_if(got[0] == x * x && got[1] == x + 1, "kernels compute it with less precision");
}

Finding try_local_memory(Trial& trial, std::uint64_t bytes) {
    const Capabilities& can = trial.device.capabilities();
    const std::size_t items =
        std::max<std::size_t>(1, std::min<std::size_t>({64, can.max_group_items, can.max_group[0]}));
    return most(bytes, [&](std::uint64_t size) {
        const auto words = static_cast<std::uint32_t>(std::min<std::uint64_t>(size / 4, 0xffffffffu));
        const Buffer wrong = upload(trial, std::vector<std::uint32_t>(items, 1));
        trial.queue.launch(trial.kernel("devq_local"), Range(items).grouped(items), wrong,
                           LocalMemory{std::size_t{words} * 4}, words);
        const auto counts = download<std::uint32_t>(trial, wrong, items);
        return words > 0 && std::all_of(counts.begin(), counts.end(), [](std::uint32_t count) { return count == 0; });
    });
}

Finding try_group(Trial& trial, std::uint64_t items) {
    const auto limits = trial.device.capabilities().max_group;
    return most(items, [&](std::uint64_t size) {
        const std::size_t x = std::min<std::size_t>(size, limits[0]);
        const std::size_t y = std::min<std::size_t>(size / std::max<std::size_t>(x, 1), limits[1]);
        const std::size_t z = std::min<std::size_t>(size / std::max<std::size_t>(x * y, 1), limits[2]);
        if (x * y * z != size) // no group of this size fits into the limits of the dimensions
            return false;
        const Buffer out = upload(trial, std::vector<std::uint32_t>(size, 0xffffffffu));
        trial.queue.launch(trial.kernel("devq_group"), Range(x, y, z).grouped(x, y, z), out, LocalMemory{size * 4});
        const auto got = download<std::uint32_t>(trial, out, size);
        for (std::size_t i = 0; i < size; ++i)
            if (got[i] != size - 1 - i)
                return false;
        return true;
    });
}

Finding try_atomics(Trial& trial) {
    constexpr std::int32_t items = 4096;
    const Buffer to = upload(trial, std::vector<std::int32_t>(4, 0));
    trial.queue.launch(trial.kernel("devq_atomics"), std::size_t{items}, to);
    const auto got = download<std::int32_t>(trial, to, 4);
    return yes_if(got == std::vector<std::int32_t>{3 * items, items - 1, 0xffff, 2 * items},
                  "updates by several work-items are lost");
}

Finding try_long_atomics(Trial& trial) {
    constexpr std::int64_t items = 4096;
    const Buffer to = upload(trial, std::vector<std::int64_t>(1, 0));
    trial.queue.launch(trial.kernel("devq_long_atomics"), std::size_t{items}, to);
    return yes_if(download<std::int64_t>(trial, to, 1)[0] == items * ((std::int64_t{1} << 32) + 1),
                  "updates by several work-items are lost");
}

Finding try_printf(Trial& trial) {
    const Kernel print = trial.kernel("devq_print");
    StdoutCatch printed;
    trial.queue.launch(print, 1, std::int32_t{4711});
    trial.queue.wait();
    return yes_if(printed.text().find("devq 4711\n") != std::string::npos,
                  "what a kernel prints does not arrive on stdout");
}

Finding try_event_timing(Trial& trial) {
    const Kernel work = trial.kernel("devq_work");
    const Buffer x = upload(trial, std::vector<float>(1 << 18, 1.0f));
    trial.queue.launch(work, 1 << 18, x); // the first launch may still load the kernel
    trial.queue.wait();
    const auto begin = std::chrono::steady_clock::now();
    const Event start = trial.queue.record();
    trial.queue.launch(work, 1 << 18, x);
    const Event end = trial.queue.record();
    trial.queue.wait();
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
    const double ms = elapsed_ms(start, end);
    // Clocks of devices tick coarsely: what they say may be a little more than what the host saw.
    return yes_if(ms > 0 && ms < 1.5 * wall.count() + 1,
                  fmt::format("events say {:.3f} ms where the host saw {:.3f} ms", ms, wall.count()));
}

Finding try_queue_concurrency(Trial& trial) {
    const Kernel meet = trial.kernel("devq_meet");
    const Queue other = trial.device.create_queue();
    const Buffer flags = trial.device.allocate(8), met = trial.device.allocate(8);
    const std::int32_t zero = 0;
    // Two kernels that each wait a while for the other can both see it only when they run at the same time.
    for (const std::int32_t limit : {1, 1 << 16, 1 << 20}) { // the first only loads the kernel
        trial.queue.fill(flags, 0, 8, &zero, sizeof zero);
        trial.queue.fill(met, 0, 8, &zero, sizeof zero);
        trial.queue.wait();
        trial.queue.launch(meet, 1, flags, met, std::int32_t{0}, std::int32_t{1}, limit);
        trial.queue.flush();
        other.launch(meet, 1, flags, met, std::int32_t{1}, std::int32_t{0}, limit);
        other.flush();
        trial.queue.wait();
        other.wait();
        if (download<std::int32_t>(trial, met, 2) == std::vector<std::int32_t>{1, 1})
            return {1, {}};
    }
    return {0, {}}; // no device promises it
}

} // namespace devq::tools
