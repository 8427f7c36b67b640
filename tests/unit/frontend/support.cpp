#include "support.hpp"
#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <devq/error.hpp>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace devq::frontend::test {

std::string error_of(std::string_view source, const Options& options) {
    try {
        parse(source, options);
    } catch (const Error& error) {
        return error.code() == ErrorCode::build_failed ? error.what() : std::string("wrong code: ") + error.what();
    }
    return {};
}

std::uint32_t test_seed() {
    const char* given = std::getenv("DEVQ_TEST_SEED");
    return given != nullptr && *given != '\0' ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10))
                                              : std::random_device{}();
}

std::string program_text(std::string_view source, const Options& options) {
    const std::string text = write(*parse(source, options), {});
    const std::string mark = "#line 1 \"devq/generated.hpp\"";
    return text.substr(text.find(mark) + mark.size());
}

std::string dense(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (c != ' ' && c != '\n')
            result += c;
    return result;
}

std::pair<int, std::string> run_command(const std::string& command) {
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr)
        return {-1, "cannot start " + command};
    std::string output;
    std::array<char, 4096> chunk;
    while (const std::size_t count = fread(chunk.data(), 1, chunk.size(), pipe))
        output.append(chunk.data(), count);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

const std::string& host_compiler() {
    static const std::string name = [] {
        const char* chosen = std::getenv("DEVQ_CXX");
        const std::string candidate = chosen != nullptr && *chosen != '\0' ? chosen : "c++";
        return run_command(candidate + " --version").first == 0 ? candidate : std::string();
    }();
    return name;
}

HostProgram::HostProgram(std::string_view source, bool single_item_groups, const std::string& flags,
                         const Options& options) {
    std::string folder = (std::filesystem::temp_directory_path() / "devq-frontend-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
        throw std::runtime_error("cannot make a folder for the compiled kernels");
    WriteOptions write_options;
    write_options.single_item_groups = single_item_groups;
    std::ofstream(folder + "/kernel.cpp") << write(*parse(source, options), write_options);
    const auto [status, output] =
        run_command(host_compiler() +
                    " -std=c++17 -fPIC -shared -fvisibility=hidden -ffp-contract=fast -fno-math-errno "
                    "-fno-trapping-math -fno-strict-aliasing -Wno-psabi " +
                    flags + " -o " + folder + "/kernel.so " + folder + "/kernel.cpp -lm");
    log_ = output;
    if (status == 0)
        handle_ = dlopen((folder + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string why = status == 0 && handle_ == nullptr ? dlerror() : explain_compiler_log(output);
    std::filesystem::remove_all(folder);
    if (handle_ == nullptr)
        throw std::runtime_error("the kernels do not compile:\n" + why);
    table_ = static_cast<const devq_host_kernel_table*>(dlsym(handle_, "devq_host_kernels"));
    if (table_ == nullptr)
        throw std::runtime_error("the compiled kernels have no table");
}

HostProgram::~HostProgram() { dlclose(handle_); }

const devq_host_kernel& HostProgram::kernel(const std::string& name) const {
    for (unsigned i = 0; i < table_->count; ++i)
        if (name == table_->kernels[i].name)
            return table_->kernels[i];
    throw std::runtime_error("no kernel " + name);
}

namespace {

struct AlignedFree {
    void operator()(void* memory) const { std::free(memory); }
};
using Aligned = std::unique_ptr<void, AlignedFree>;

Aligned aligned_memory(std::size_t bytes) {
    Aligned memory(std::aligned_alloc(128, (bytes + 127) / 128 * 128 + 128));
    std::memset(memory.get(), 0xcc, bytes); // no kernel may count on zeros
    return memory;
}

void run_with_threads(const devq_host_kernel& kernel, devq_host_dispatch dispatch, std::uint64_t group) {
    const Size local{dispatch.local_size[0], dispatch.local_size[1], dispatch.local_size[2]};
    std::barrier<> meeting(static_cast<std::ptrdiff_t>(local[0] * local[1] * local[2]));
    dispatch.barrier_context = &meeting;
    dispatch.barrier = [](void* context) { static_cast<std::barrier<>*>(context)->arrive_and_wait(); };
    std::vector<std::thread> threads;
    for (std::uint64_t z = 0; z < local[2]; ++z)
        for (std::uint64_t y = 0; y < local[1]; ++y)
            for (std::uint64_t x = 0; x < local[0]; ++x)
                threads.emplace_back([&kernel, &dispatch, &meeting, group, x, y, z] {
                    const devq_u64 id[3] = {x, y, z};
                    kernel.run_item(&dispatch, group, id);
                    meeting.arrive_and_drop();
                });
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace

void HostProgram::run(const std::string& name, const std::vector<Argument>& arguments, Size global, Size local,
                      Size offset, bool items_apart) const {
    const devq_host_kernel& found = kernel(name);
    if (found.parameter_count != arguments.size())
        throw std::runtime_error(name + " has another number of parameters");
    std::vector<void*> addresses;
    std::vector<Aligned> memory;
    for (const Argument& argument : arguments) {
        if (argument.local_bytes != 0)
            memory.push_back(aligned_memory(argument.local_bytes));
        addresses.push_back(argument.local_bytes != 0 ? memory.back().get() : argument.address);
    }
    memory.push_back(aligned_memory(found.local_bytes));
    devq_host_dispatch dispatch{};
    dispatch.dimensions = global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1;
    for (std::size_t d = 0; d < 3; ++d) {
        dispatch.global_size[d] = global[d];
        dispatch.local_size[d] = local[d];
        dispatch.group_count[d] = global[d] / local[d];
        dispatch.global_offset[d] = offset[d];
    }
    dispatch.arguments = addresses.data();
    dispatch.local_memory = memory.back().get();
    const std::uint64_t groups = dispatch.group_count[0] * dispatch.group_count[1] * dispatch.group_count[2];
    const std::uint64_t items = local[0] * local[1] * local[2];
    memory.push_back(aligned_memory(items * found.split_item_bytes + found.split_group_bytes));
    dispatch.split_memory = memory.back().get();
    std::uint64_t diverged = 0;
    static_assert(sizeof diverged == sizeof(devq_u64));
    dispatch.print = [](void* printed, const char* text, devq_u64 bytes) {
        static_cast<std::string*>(printed)->append(text, bytes);
    };
    printed.clear();
    dispatch.print_context = &printed;
    dispatch.diverged = reinterpret_cast<devq_u64*>(&diverged);
    if (found.run_groups != nullptr && !(items_apart && found.run_item != nullptr))
        found.run_groups(&dispatch, 0, groups);
    else
        for (std::uint64_t group = 0; group < groups; ++group)
            run_with_threads(found, dispatch, group);
    if (diverged != 0)
        throw std::runtime_error("the items of group " + std::to_string(diverged - 1) + " part at a barrier");
}

} // namespace devq::frontend::test
