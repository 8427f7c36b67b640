#pragma once
/// The system that is looked at: this one, or a copy of another's files under a folder (`--sysroot`). Nothing here runs
/// anything or writes.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace devq::doctor {

struct Node {
    std::string path;
    bool there = false;
    unsigned mode = 0; ///< the nine bits of rights
    unsigned user = 0, group = 0;
    bool usable = false; ///< this user may read and write it
    bool readable = false;

    std::string rights() const; ///< "crw-rw----"
};

struct User {
    unsigned id = 0;
    std::vector<unsigned> groups;
    bool in(unsigned group) const;
};

class System {
public:
    /// `root`: "/" for this one. In a copy the environment is that of proc/self/environ, the user that of
    /// proc/self/status, and a file devq-nodes may give owners and rights that the copy could not keep:
    /// `find /dev -printf '%M %U %G %p\n'`.
    explicit System(std::filesystem::path root = "/");

    bool is_this_machine() const noexcept { return root_ == "/"; }
    const std::filesystem::path& root() const noexcept { return root_; }

    /// Where `path` leads once every link is followed, as a path of the system looked at; empty when nothing is there.
    std::string target(const std::string& path) const;
    /// The same as a file that this process can open; empty when nothing is there.
    std::filesystem::path file(const std::string& path) const;
    /// What a link says, followed no further; empty for what is none.
    std::string link(const std::string& path) const;
    bool there(const std::string& path) const { return !target(path).empty(); }
    /// Something has this name, be it a link to nothing.
    bool named(const std::string& path) const;
    bool is_folder(const std::string& path) const;
    bool writable(const std::string& folder) const;
    /// Names in a folder, sorted; none where it cannot be read.
    std::vector<std::string> entries(const std::string& folder) const;
    /// The first MiB; null where it cannot be read.
    std::optional<std::string> read(const std::string& path) const;
    std::string first_line(const std::string& path) const;
    Node node(const std::string& path) const;

    const std::map<std::string, std::string>& environment() const noexcept { return environment_; }
    std::optional<std::string> variable(const std::string& name) const;
    const User& user() const noexcept { return user_; }
    std::string user_name(unsigned id) const { return name_in("/etc/passwd", id); }
    std::string group_name(unsigned id) const { return name_in("/etc/group", id); }

private:
    std::string name_in(const std::string& table, unsigned id) const;
    void read_environment();
    void read_user();
    void read_nodes();

    std::filesystem::path root_;
    std::map<std::string, std::string> environment_;
    User user_;
    std::map<std::string, Node> nodes_; ///< of devq-nodes
    bool has_nodes_ = false;
};

/// The parts between `separator`s, empty ones too; nothing for "".
std::vector<std::string> split(std::string_view text, char separator);
std::string trimmed(std::string_view text);
bool holds(std::string_view text, std::string_view part);
bool contains(const std::vector<std::string>& list, std::string_view word);
/// In single quotes, as sh takes it.
std::string shell_word(const std::string& text);

} // namespace devq::doctor
