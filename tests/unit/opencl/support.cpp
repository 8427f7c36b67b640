#include "support.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

extern "C" const devq::backend::Module* devq_backend_module();
extern char** environ;

namespace devq::opencl_test {

namespace {

// PoCL keeps what it compiles beside the program, unless told otherwise; set before anything calls OpenCL.
const int cache_is_set = [] {
    const std::string folder = program_folder() + "/pocl-cache";
    std::filesystem::create_directories(folder);
    return setenv("POCL_CACHE_DIR", folder.c_str(), 0);
}();

constexpr const char* child_mark = "DEVQ_TEST_CHILD";

} // namespace

std::unique_ptr<backend::Backend> make_backend() { return devq_backend_module()->create(); }

std::shared_ptr<backend::Device> device() {
    static const std::shared_ptr<backend::Device>* const shared = [] { // never destroyed: other tests look at exits
        static const auto backend = make_backend();
        const bool any = !backend->enumerate().devices.empty();
        if (!any)
            std::printf("skipped: device: no OpenCL device on this machine\n");
        return new std::shared_ptr<backend::Device>(any ? backend->open(0) : nullptr);
    }();
    return *shared;
}

std::string program_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

std::string make_folder(const std::string& name) {
    const std::string folder = program_folder() + "/unit-opencl-files/" + name;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
}

std::string driver_folder(const std::string& library) {
    const std::string folder = make_folder("driver");
    std::ofstream(folder + "/only.icd") << library << '\n';
    return folder;
}

std::string pocl_folder() {
    std::string library;
    std::ifstream file("/etc/OpenCL/vendors/pocl.icd");
    if (std::getline(file, library))
        return driver_folder(library);
    std::printf("skipped: pocl: pocl-opencl-icd is not installed\n");
    return {};
}

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

ChildResult run_child(const std::vector<std::string>& command, const Variables& variables) {
    std::vector<std::string> words{"timeout", "-k", "5", "60", "env"};
    for (const auto& [name, value] : variables)
        words.push_back(name + '=' + value);
    words.insert(words.end(), command.begin(), command.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, "timeout", &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    REQUIRE(spawned == 0);

    ChildResult result;
    char part[4096];
    for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
        result.output.append(part, static_cast<std::size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

bool respawned(const char* test_case, const Variables& variables, const std::vector<std::string>& prefix) {
    if (std::getenv(child_mark))
        return false;
    Variables all = variables;
    all.emplace_back(child_mark, "1");
    std::vector<std::string> command = prefix;
    command.push_back(program_folder() + "/unit-opencl");
    std::string filter = test_case;
    std::replace(filter.begin(), filter.end(), ',', '?'); // a comma would part two filters
    command.push_back("--test-case=" + filter);
    const ChildResult child = run_child(command, all);
    CHECK_MESSAGE(child.status == 0, child.output);
    CHECK_MESSAGE(child.output.find(" 1 passed | 0 failed | ") != child.output.npos, child.output);
    return true;
}

bool have_program(const std::string& program) {
    std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');)
        if (access((folder + '/' + program).c_str(), X_OK) == 0)
            return true;
    return false;
}

backend::LaunchRange range(std::size_t global, std::size_t local) {
    backend::LaunchRange range;
    range.global[0] = global;
    range.local[0] = local;
    return range;
}

std::shared_ptr<backend::Kernel> kernel(backend::Device& device, const std::string& source, const std::string& name) {
    backend::ProgramSource text;
    text.text = source;
    text.file_name = name + ".cl";
    return device.build(text)->kernel(name);
}

} // namespace devq::opencl_test
