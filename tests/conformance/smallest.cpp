#include "smallest.hpp"
#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace devq::conformance {

double size_hint(std::string_view shape) noexcept {
    double size = 1;
    for (std::size_t i = 0; i < shape.size();) {
        const std::size_t start = i;
        double number = 0;
        for (; i < shape.size() && shape[i] >= '0' && shape[i] <= '9'; ++i)
            number = number * 10 + (shape[i] - '0');
        if (i == start) {
            ++i;
            continue;
        }
        const bool size_of_axis = (start > 0 && shape[start - 1] == 'x') || (i < shape.size() && shape[i] == 'x');
        size *= number > 0 || size_of_axis ? number : 1; // "momentum 0" empties nothing
    }
    return size;
}

std::vector<const Case*> by_size(std::vector<const Case*> cases) {
    std::stable_sort(cases.begin(), cases.end(),
                     [](const Case* a, const Case* b) { return size_hint(a->shape) < size_hint(b->shape); });
    return cases;
}

std::vector<Result> smallest_failures(const Queue& queue, const std::vector<Result>& results, std::uint64_t seed,
                                      double seconds) {
    const auto start = std::chrono::steady_clock::now();
    const auto over = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
    };
    std::map<std::pair<std::string, std::string>, Result> smallest;
    std::set<const Case*> ran;
    const auto offer = [&](const Result& result) {
        const auto [place, first] = smallest.try_emplace({result.test->op, result.test->dtype}, result);
        if (!first && result.elements < place->second.elements)
            place->second = result;
    };
    for (const Result& result : results) {
        ran.insert(result.test);
        if (result.status != Status::failed)
            continue;
        if (result.device_gone)
            return {result};
        offer(result);
    }
    std::vector<Result> found;
    for (const auto& [name, least] : smallest) {
        Filter filter{.op = name.first, .dtype = name.second};
        filter.grad = least.test->grad;
        for (const Case* const test : by_size(select(filter))) {
            const Exception* const known = find_exception(known_exceptions(), queue.device().info(), *test);
            if (known != nullptr || ran.count(test) > 0)
                continue;
            if (over())
                break;
            const Result result = run_case(queue, *test, seed);
            if (result.status == Status::failed && !result.device_gone)
                offer(result);
            if (result.device_gone)
                return {result};
        }
    }
    for (const auto& [name, least] : smallest)
        found.push_back(least);
    return found;
}

} // namespace devq::conformance
