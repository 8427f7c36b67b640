#include "system.hpp"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace devq::doctor {

namespace fs = std::filesystem;

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty())
        return parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
    return begin == std::string_view::npos ? std::string() : std::string(text.substr(begin, end - begin + 1));
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string shell_word(const std::string& text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool User::in(unsigned group) const { return std::find(groups.begin(), groups.end(), group) != groups.end(); }

std::string Node::rights() const {
    std::string text = "c";
    for (int shift = 8; shift >= 0; --shift)
        text += (mode >> shift & 1u) != 0 ? "xwr"[shift % 3] : '-';
    return text;
}

System::System(fs::path root) : root_(fs::absolute(root).lexically_normal()) {
    if (root_ != "/" && root_.filename().empty())
        root_ = root_.parent_path();
    read_environment();
    read_user();
    read_nodes();
}

std::string System::target(const std::string& path) const {
    std::vector<std::string> wanted = split(path, '/'), done;
    std::reverse(wanted.begin(), wanted.end()); // the next part is the last
    int links = 0;
    while (!wanted.empty()) {
        const std::string part = wanted.back();
        wanted.pop_back();
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            if (!done.empty())
                done.pop_back();
            continue;
        }
        std::string here;
        for (const std::string& one : done)
            here += '/' + one;
        std::error_code error;
        const fs::path file = root_ / (here + '/' + part).substr(1);
        const fs::file_status status = fs::symlink_status(file, error);
        if (status.type() == fs::file_type::not_found || status.type() == fs::file_type::none)
            return {};
        if (status.type() != fs::file_type::symlink) {
            done.push_back(part);
            continue;
        }
        const std::string to = fs::read_symlink(file, error).string();
        if (error || ++links > 40)
            return {};
        if (!to.empty() && to[0] == '/')
            done.clear();
        std::vector<std::string> more = split(to, '/');
        wanted.insert(wanted.end(), more.rbegin(), more.rend());
    }
    std::string result;
    for (const std::string& one : done)
        result += '/' + one;
    return result.empty() ? "/" : result;
}

fs::path System::file(const std::string& path) const {
    const std::string end = target(path);
    return end.empty() ? fs::path() : root_ / end.substr(1);
}

std::string System::link(const std::string& path) const {
    const std::size_t slash = path.find_last_not_of('/');
    const std::string plain = path.substr(0, slash + 1);
    const std::size_t cut = plain.rfind('/');
    const fs::path folder = file(plain.substr(0, cut == 0 ? 1 : cut));
    if (folder.empty())
        return {};
    std::error_code error;
    const fs::path to = fs::read_symlink(folder / plain.substr(cut + 1), error);
    return error ? std::string() : to.string();
}

bool System::named(const std::string& path) const { return there(path) || !link(path).empty(); }

bool System::is_folder(const std::string& path) const {
    std::error_code error;
    const fs::path end = file(path);
    return !end.empty() && fs::is_directory(end, error);
}

bool System::writable(const std::string& folder) const {
    const fs::path end = file(folder);
    if (end.empty())
        return false;
    if (is_this_machine())
        return access(end.c_str(), W_OK) == 0;
    // A copy belongs to whoever made it: what counts is whether anyone may write.
    struct stat status {};
    return stat(end.c_str(), &status) == 0 && (status.st_mode & 0222u) != 0;
}

std::vector<std::string> System::entries(const std::string& folder) const {
    std::vector<std::string> names;
    const fs::path place = file(folder);
    std::error_code error;
    if (place.empty())
        return names;
    for (auto it = fs::directory_iterator(place, error); !error && it != fs::directory_iterator(); it.increment(error))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> System::read(const std::string& path) const {
    const fs::path end = file(path);
    std::error_code error;
    if (end.empty() || !fs::is_regular_file(end, error)) // a pipe or a terminal would have no end
        return std::nullopt;
    std::ifstream stream(end, std::ios::binary);
    if (!stream)
        return std::nullopt;
    std::string text;
    char part[4096]; // most files here are short
    while (text.size() < (1u << 20) && (stream.read(part, sizeof part) || stream.gcount() > 0))
        text.append(part, static_cast<std::size_t>(stream.gcount()));
    return text;
}

std::string System::first_line(const std::string& path) const {
    const std::string text = read(path).value_or("");
    return trimmed(std::string_view(text).substr(0, text.find('\n')));
}

Node System::node(const std::string& path) const {
    if (has_nodes_) {
        const auto found = nodes_.find(path);
        return found != nodes_.end() ? found->second : Node{path};
    }
    Node node{path};
    const fs::path end = file(path);
    struct stat status {};
    if (end.empty() || stat(end.c_str(), &status) != 0)
        return node;
    node.there = true;
    node.mode = status.st_mode & 0777u;
    node.user = status.st_uid;
    node.group = status.st_gid;
    // The kernel knows of access control lists, too.
    node.usable = access(end.c_str(), R_OK | W_OK) == 0;
    node.readable = access(end.c_str(), R_OK) == 0;
    return node;
}

std::optional<std::string> System::variable(const std::string& name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() ? std::nullopt : std::optional(found->second);
}

void System::read_environment() {
    const auto add = [&](std::string_view entry) {
        if (const std::size_t sign = entry.find('='); sign != std::string_view::npos && sign > 0)
            environment_.emplace(entry.substr(0, sign), entry.substr(sign + 1));
    };
    if (is_this_machine()) {
        for (char** entry = environ; *entry != nullptr; ++entry)
            add(*entry);
        return;
    }
    const std::string text = read("/proc/self/environ").value_or("");
    for (const std::string& entry : split(text, holds(text, std::string_view("\0", 1)) ? '\0' : '\n'))
        add(entry);
}

void System::read_user() {
    std::istringstream status(read("/proc/self/status").value_or(""));
    for (std::string line; std::getline(status, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        std::vector<unsigned> numbers;
        for (unsigned number = 0; words >> number;)
            numbers.push_back(number);
        if (name == "Uid:" && numbers.size() > 1)
            user_.id = numbers[1]; // the effective one
        else if (name == "Gid:" && numbers.size() > 1)
            user_.groups.push_back(numbers[1]);
        else if (name == "Groups:")
            user_.groups.insert(user_.groups.end(), numbers.begin(), numbers.end());
    }
}

void System::read_nodes() {
    const auto text = is_this_machine() ? std::nullopt : read("/devq-nodes");
    if (!text)
        return;
    has_nodes_ = true;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string rights;
        Node node;
        if (!(words >> rights >> node.user >> node.group >> node.path) || rights.size() < 10)
            continue;
        node.there = true;
        for (std::size_t i = 1; i < 10; ++i)
            node.mode = node.mode << 1u | (rights[i] != '-' ? 1u : 0u);
        const unsigned mine = user_.id == node.user  ? node.mode >> 6u
                              : user_.in(node.group) ? node.mode >> 3u
                                                     : node.mode;
        node.usable = user_.id == 0 || (mine & 6u) == 6u;
        node.readable = user_.id == 0 || (mine & 4u) != 0;
        nodes_[node.path] = node;
    }
}

std::string System::name_in(const std::string& table, unsigned id) const {
    std::istringstream lines(read(table).value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (const auto fields = split(line, ':'); fields.size() > 2 && fields[2] == std::to_string(id))
            return fields[0];
    return std::to_string(id);
}

} // namespace devq::doctor
