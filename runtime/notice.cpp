#include "notice.hpp"
#include <cstdio>
#include <mutex>
#include <set>

namespace devq::detail {

void notice(const std::string& text) {
    static std::mutex mutex;
    static std::set<std::string>& said = *new std::set<std::string>; // never destroyed: said at exits, too
    const std::lock_guard lock(mutex);
    if (said.insert(text).second)
        static_cast<void>(std::fprintf(stderr, "devq: %s\n", text.c_str()));
}

std::string one_line(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20)
            c = ' ';
    while (!text.empty() && (text.back() == ' ' || text.back() == '.'))
        text.pop_back();
    return text;
}

} // namespace devq::detail
