#include "suite.hpp"
#include <chrono>
#include <cstdlib>
#include <devq/error.hpp>
#include <fmt/format.h>
#include <fnmatch.h>
#include <map>
#include <set>
#include <stdexcept>

namespace devq::conformance {

namespace {

bool matches(const std::string& glob, const std::string& text) {
    return glob.empty() || glob == text || fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

/// DEVQ_PATH=vendor: what the vendor's library cannot do is no fault of the device.
bool vendor_demanded() {
    const char* const path = std::getenv("DEVQ_PATH");
    return path != nullptr && std::string_view(path) == "vendor";
}

/// Of each operation and type the first case, the last, and every fifth between: a spread over every layout.
void mark_quick(std::vector<Case>& cases) {
    std::map<std::string, std::vector<Case*>> groups;
    for (Case& test : cases)
        groups[test.op + " " + test.dtype].push_back(&test);
    std::size_t start = 0; // another offset for each group, so that unlike shapes are picked
    for (auto& [name, group] : groups) {
        for (std::size_t i = start % 5; i < group.size(); i += 5)
            group[i]->quick = true;
        group.front()->quick = group.back()->quick = true;
        ++start;
    }
}

} // namespace

void finish_cases(std::vector<Case>& cases, bool grad) {
    std::set<std::string> names;
    for (Case& test : cases) {
        test.grad = grad;
        if (!names.insert(test.name()).second)
            throw std::logic_error("two cases are called \"" + test.name() + "\"; give one of them another shape text");
    }
    mark_quick(cases);
}

const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases = [] {
        std::vector<Case> list;
        add_fill_cases(list);
        add_elementwise_cases(list);
        add_cast_cases(list);
        add_copy_cases(list);
        add_matmul_cases(list);
        add_conv2d_cases(list);
        add_reduce_cases(list);
        add_softmax_cases(list);
        add_batch_norm_cases(list);
        add_cross_entropy_cases(list);
        add_mse_cases(list);
        add_attention_cases(list);
        add_optimizer_cases(list);
        add_adam_cases(list);
        add_clip_cases(list);
        add_preprocess_cases(list);
        add_random_cases(list);
        add_gather_cases(list);
        add_scatter_cases(list);
        add_scan_cases(list);
        add_histogram_cases(list);
        add_sort_cases(list);
        finish_cases(list, false);
        return list;
    }();
    return cases;
}

std::vector<const Case*> select(const Filter& filter) {
    std::vector<const Case*> chosen;
    for (const Case& test : filter.grad ? all_grad_cases() : all_cases())
        if (matches(filter.op, test.op) && matches(filter.dtype, test.dtype) && matches(filter.shape, test.shape) &&
            (!filter.quick || test.quick))
            chosen.push_back(&test);
    return chosen;
}

std::string_view to_string(Status status) noexcept {
    switch (status) {
    case Status::passed:
        return "passed";
    case Status::failed:
        return "failed";
    case Status::skipped:
        return "skipped";
    }
    return "?";
}

Result run_case(const Queue& queue, const Case& test, std::uint64_t seed) {
    const auto start = std::chrono::steady_clock::now();
    Result result;
    result.test = &test;
    Run run(queue, seed_of(seed, test.name()));
    try {
        test.body(run);
        run.finish();
        result.reason = run.complaint();
    } catch (const Error& error) {
        result.reason = fmt::format("{}: {}", to_string(error.code()), error.what());
        result.status = error.code() == ErrorCode::unsupported && vendor_demanded() ? Status::skipped : Status::failed;
        result.device_gone = error.code() == ErrorCode::device_lost;
        result.unsupported = error.code() == ErrorCode::unsupported;
    } catch (const std::exception& error) {
        result.reason = error.what();
    }
    if (!result.reason.empty()) {
        if (result.status == Status::passed)
            result.status = Status::failed;
        try {
            queue.wait(); // what else failed in this case must not be blamed on the next
        } catch (const Error& error) {
            result.device_gone = result.device_gone || error.code() == ErrorCode::device_lost;
        }
    }
    result.path = run.path();
    result.variant = run.variant();
    result.nmse = run.nmse();
    result.worst = run.worst();
    result.elements = run.elements();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

const Exception* find_exception(std::span<const Exception> list, const DeviceInfo& device, const Case& test) {
    for (const Exception& exception : list)
        if (matches(exception.backend, device.backend) && matches(exception.device_name, device.name) &&
            matches(exception.op, test.op) && matches(exception.dtype, test.dtype) &&
            matches(exception.shape, test.shape))
            return &exception;
    return nullptr;
}

Result excuse(Result result, const Exception& exception) {
    if (result.status == Status::failed) {
        result.status = Status::skipped;
        result.reason = fmt::format("known: {} ({})", exception.reason, result.reason);
    } else if (result.status == Status::passed) {
        result.status = Status::failed;
        result.reason = fmt::format("stale exception: this case passes, remove \"{}\" from the list", exception.reason);
    }
    return result;
}

Result run_case(const Queue& queue, const Case& test, std::uint64_t seed, std::span<const Exception> list) {
    const Exception* const exception = find_exception(list, queue.device().info(), test);
    if (exception == nullptr)
        return run_case(queue, test, seed);
    if (!exception->crashes)
        return excuse(run_case(queue, test, seed), *exception);
    Result result;
    result.test = &test;
    result.status = Status::skipped;
    result.reason = "known: " + exception->reason;
    return result;
}

std::vector<std::string> exceptions_without_case(std::span<const Exception> list) {
    std::vector<std::string> stale;
    for (const Exception& exception : list) {
        bool found = false;
        for (const auto* const cases : {&all_cases(), &all_grad_cases()})
            for (const Case& test : *cases)
                found = found || (matches(exception.op, test.op) && matches(exception.dtype, test.dtype) &&
                                  matches(exception.shape, test.shape));
        if (!found)
            stale.push_back(
                fmt::format("{} {} {} ({})", exception.op, exception.dtype, exception.shape, exception.reason));
    }
    return stale;
}

std::string repeat_command(std::string_view device, std::uint64_t seed, const Case& test) {
    return fmt::format("devq test --device '{}'{} --op {} --dtype {} --shape '{}' --seed {}", device,
                       test.grad ? " --mode grad" : "", test.op, test.dtype, test.shape, seed);
}

} // namespace devq::conformance
