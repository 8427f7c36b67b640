#include "builtins.hpp"
#include "text.hpp"
#include <algorithm>

namespace devq::frontend {

namespace {

/// How many letters must be changed, added, left out or swapped with their neighbour; `limit` where it is that many.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit)
        return limit;
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return std::min(row[b.size()], limit);
}

} // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 40;
    if (name.size() < 3 || name.size() > longest)
        return {};
    std::size_t best = name.size() < 6 ? 2 : 3;
    std::string_view found;
    for (const std::string& candidate : candidates) {
        const std::size_t d = candidate == name ? best : distance(name, candidate, best);
        if (d < best ||
            (d == best && !found.empty() && candidate < found && distance(name, candidate, best + 1) == d)) {
            best = d;
            found = candidate;
        }
    }
    return found.empty() ? std::string() : concat({" (did you mean '", found, "'?)"});
}

std::string suggestion(std::string_view name, std::span<const std::string> more) {
    std::vector<std::string> candidates = builtin_names();
    candidates.insert(candidates.end(), more.begin(), more.end());
    return nearest(name, candidates);
}

} // namespace devq::frontend
