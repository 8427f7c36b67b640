#include "support.hpp"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
namespace fs = std::filesystem;

namespace support {

Folder::Folder() {
    std::string name = (fs::temp_directory_path() / "devq-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("mkdtemp: " + std::string(std::strerror(errno)));
    path = name;
}

Folder::~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

fs::path build_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path standin(const std::string& name) { return build_folder() / "tests/unit/devices/modules" / name; }

static std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Result run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
           std::chrono::seconds limit) {
    std::map<std::string, std::string> variables = environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        variables.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1)); // what is given stays
    }
    std::vector<std::string> texts;
    for (const auto& [name, value] : variables)
        if (value != unset)
            texts.push_back(name + "=" + value);
    std::vector<char*> arguments, entries;
    for (const std::string& word : command)
        arguments.push_back(const_cast<char*>(word.c_str()));
    for (std::string& text : texts)
        entries.push_back(text.data());
    arguments.push_back(nullptr);
    entries.push_back(nullptr);

    const Folder folder;
    const fs::path out = folder.path / "out", err = folder.path / "err";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const int fault = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), entries.data());
    posix_spawn_file_actions_destroy(&actions);
    if (fault != 0)
        throw std::runtime_error(command[0] + ": " + std::strerror(fault));

    Result result;
    int status = 0;
    for (std::chrono::seconds::rep tick = 0; waitpid(child, &status, WNOHANG) == 0; ++tick) {
        if (tick == limit.count() * 100)
            kill(child, SIGKILL);
        usleep(10000);
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = text_of(out);
    result.err = text_of(err);
    return result;
}

} // namespace support
